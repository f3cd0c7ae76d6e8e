import type { Endpoint } from '../catalog/catalog.ts';
import type { GatewayError } from '../foundation/errors.ts';

/** One endpoint that was called, with its outcome. */
export interface Attempt {
  readonly endpoint: Endpoint;
  /** Time at which it was called, on the monotonic clock. */
  readonly startedAt: number;
  /** Milliseconds to the first chunk or the failure. */
  readonly latencyMs: number;
  /** Null when it succeeded. */
  readonly error: GatewayError | null;
  /** Its completion broke off, and another endpoint was asked to continue it. */
  readonly brokeOff?: BrokeOff | undefined;
}

/** Where a completion broke off that another endpoint was asked to continue. */
export interface BrokeOff {
  readonly error: GatewayError;
  /** Characters of text that had come. */
  readonly afterCharacters: number;
}

/** How a call ended. */
export type Outcome =
  | { readonly status: 'completed' }
  | { readonly status: 'failed'; readonly error: GatewayError }
  | { readonly status: 'cancelled'; readonly error: GatewayError };

/** The outcome of a call that an error ended: a client that leaves cancels it, and so may the operator. */
export const outcomeOf = (error: GatewayError): Exclude<Outcome, { readonly status: 'completed' }> => ({
  status: error.code === 'client_closed_request' || error.code === 'call_cancelled' ? 'cancelled' : 'failed',
  error,
});
