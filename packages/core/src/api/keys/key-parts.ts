import type { Platform } from '../../foundation/platform.ts';
import type { Store } from '../../stores/store.ts';

/** What the operations on keys use of a gateway. */
export interface KeyParts {
  readonly platform: Platform;
  readonly store: Pick<
    Store,
    'generations' | 'guardrails' | 'keyAssignments' | 'keys' | 'memberAssignments' | 'workspaces'
  >;
}
