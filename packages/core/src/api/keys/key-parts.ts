import type { ConfiguredKeys } from '../../auth/authenticate.ts';
import type { Refusals } from '../../auth/wrong-keys.ts';
import type { EndpointParts } from '../../dispatch/usable-endpoints.ts';
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

/** What it takes to show the keys of the configuration, too, and what holds for a key. */
export interface AnyKeyParts extends KeyParts, EndpointParts {
  readonly platform: Platform;
  readonly configuredKeys: ConfiguredKeys;
}
