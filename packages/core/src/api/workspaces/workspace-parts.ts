import type { Platform } from '../../foundation/platform.ts';
import type { Store } from '../../stores/store.ts';

/** What the operations on workspaces use of a gateway. */
export interface WorkspaceParts {
  readonly platform: Platform;
  readonly store: Pick<Store, 'destinations' | 'guardrails' | 'keys' | 'workspaces'>;
}
