import type { Platform } from '../../foundation/platform.ts';
import type { Store } from '../../stores/store.ts';

/** The parts of a gateway that the operations on keys use. */
export interface KeyParts {
  readonly platform: Platform;
  readonly store: Pick<
    Store,
    'generations' | 'guardrails' | 'keyAssignments' | 'keys' | 'memberAssignments' | 'workspaces'
  >;
}
