/** What was counted under an id in the minute that is running. */
export interface RateWindow {
  readonly isExceeded: boolean;
  /** Milliseconds until the minute is over. */
  readonly resetInMs: number;
}

/** Counts against one limit a minute. Every method rejects with an `Error` when the counter cannot be reached. */
export interface RateCounter {
  /** Counts one more, and tells whether that was one too many. */
  take(id: string): Promise<RateWindow>;
  /** Tells whether the limit is reached, and counts nothing. */
  look(id: string): Promise<RateWindow>;
  /** Counts so many more, limit or not. */
  add(id: string, points: number): Promise<void>;
}

/** Makes a counter; `name` tells it from the others of the gateway, where they share a place. */
export type CreateRateCounter = (options: { readonly name: string; readonly limitPerMinute: number }) => RateCounter;
