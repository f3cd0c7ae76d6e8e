/** The count for an id in the current minute. */
export interface RateWindow {
  readonly isExceeded: boolean;
  /** Milliseconds until the minute is over. */
  readonly resetInMs: number;
}

/**
 * Counts against one limit a minute. Every method rejects with an `Error` when the counter cannot be reached: calls pass
 * then, unless it is a `GatewayError`, which refuses them.
 */
export interface RateCounter {
  /** Counts one more, and returns whether that exceeds the limit. */
  take(id: string): Promise<RateWindow>;
  /** Returns whether the limit is reached, without counting. */
  look(id: string): Promise<RateWindow>;
  /** Counts so many more, limit or not. */
  add(id: string, points: number): Promise<void>;
}

/** Creates a counter; `name` distinguishes it from the gateway's others in shared storage. */
export type CreateRateCounter = (options: { readonly name: string; readonly limitPerMinute: number }) => RateCounter;
