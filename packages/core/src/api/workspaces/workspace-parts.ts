import type { Platform } from '../../foundation/platform.ts';
import type { Store } from '../../stores/store.ts';

export interface WorkspaceParts {
  readonly platform: Platform;
  readonly store: Pick<Store, 'destinations' | 'guardrails' | 'keys' | 'workspaces'>;
}
