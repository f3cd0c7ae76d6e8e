import type { MemberDirectory } from '../../auth/keys.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Store } from '../../stores/store.ts';

export interface MemberParts {
  readonly platform: Pick<Platform, 'now'>;
  readonly store: Pick<Store, 'keys' | 'members'>;
  /** The store's own, unless the host has its own. */
  readonly members: MemberDirectory;
}
