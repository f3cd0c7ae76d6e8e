import type { Authenticate } from './auth/authenticate.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { GatewayError } from './errors.ts';
import type { AccountOptions, Logger, Timeouts } from './options.ts';
import type { Platform } from './platform.ts';
import type { Store } from './stores/store.ts';
import type { TimerWheel } from './timer-wheel.ts';

/** What every request of one gateway shares. Made once by `createGateway`; there are no globals beside it. */
export interface Runtime {
  readonly platform: Platform;
  readonly wheel: TimerWheel;
  readonly timeouts: Timeouts;
  readonly store: Store;
  readonly catalog: Catalog;
  readonly authenticate: Authenticate;
  readonly account: AccountOptions;
  readonly logging: { readonly inputOutput: boolean; readonly maxContentBytes: number };
  readonly logger: Logger;
  /** Calls under way. Closing the gateway interrupts what is left of them with the given error. */
  readonly openCalls: Set<OpenCall>;
  /** Counters that only rise, for metrics. */
  readonly counters: Counters;
}

export interface OpenCall {
  readonly isStream: boolean;
  interrupt(error: GatewayError): void;
}

export interface Counters {
  requests: number;
  completed: number;
  failed: number;
  cancelled: number;
  /** Generations that could not be written down; above zero and rising means the store is in trouble. */
  recordFailures: number;
}
