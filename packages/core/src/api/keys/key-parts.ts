import type { Refusals } from '../../auth/refusals.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Store } from '../../stores/store.ts';

export interface KeyParts {
  readonly platform: Platform;
  readonly refusals: Refusals;
  readonly store: Pick<
    Store,
    'generations' | 'guardrails' | 'keyAssignments' | 'keys' | 'memberAssignments' | 'workspaces'
  >;
}
