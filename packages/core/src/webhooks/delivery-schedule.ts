const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits after the first, second, … failed attempt: ten attempts over about 75 hours. */
const WAITS_MS = [
  5000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

const LONGEST_DELAY_MS = MAX_RETRY_AFTER_MS * 1.1;

export const MAX_DELIVERY_ATTEMPTS = WAITS_MS.length + 1;

export interface FailedAttempt {
  /** How many attempts there have been, this one included. */
  readonly attempts: number;
  /** The wait that the receiver requires. */
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * The wait until the stored time of an attempt, in milliseconds. It is no longer than any wait of the schedule, because
 * the clock may have been set back since the time was stored.
 */
export function remainingDelayMs(nextAttemptAt: number, nowMs: number): number {
  return Math.min(Math.max(nextAttemptAt - nowMs, 0), LONGEST_DELAY_MS);
}

/**
 * The wait before the next attempt, in milliseconds; null when there is none left. Up to a tenth is added by `random`
 * (0 to 1), so that deliveries that failed together are not repeated together.
 */
export function nextDeliveryDelayMs(failed: FailedAttempt, random: number): number | null {
  const wait = WAITS_MS[failed.attempts - 1];
  if (wait === undefined) return null;
  const asked = Math.min((failed.retryAfterSeconds ?? 0) * 1000, MAX_RETRY_AFTER_MS);
  // A time that the receiver names takes precedence over the schedule, whether shorter or longer.
  const base = failed.retryAfterSeconds === undefined ? wait : Math.max(asked, 1000);
  return Math.round(base * (1 + random / 10));
}
