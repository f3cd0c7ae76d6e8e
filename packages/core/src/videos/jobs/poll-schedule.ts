export interface PollTime {
  /** Milliseconds since the job was submitted. */
  readonly ageMs: number;
  /** How long jobs of this model usually take; null when not known yet. */
  readonly usualMs: number | null;
  /** The wait that upstream requires. */
  readonly retryAfterMs?: number | undefined;
  /** Polls that failed since the last that did not. */
  readonly failures: number;
}

const MIN_MS = 500;
const MAX_MS = 30_000;
const MAX_RETRY_AFTER_MS = 5 * 60_000;
const UNKNOWN_USUAL_MS = 60_000;

/**
 * The wait before the next poll of a job. A wait that upstream requires takes precedence. Otherwise it is a tenth of the
 * distance to the expected end, so that polls are rare at first, frequent around the expected end, and rare again for an
 * overdue job; failures double it. Up to a fifth is added by `random` (0 to 1), so that jobs that were submitted together
 * are not polled together.
 */
export function nextPollDelayMs({ ageMs, usualMs, retryAfterMs, failures }: PollTime, random: number): number {
  const toGoMs = Math.abs((usualMs ?? UNKNOWN_USUAL_MS) - ageMs);
  const planned = Math.min(Math.max(toGoMs / 10, 2000) * 2 ** Math.min(failures, 5), MAX_MS);
  const asked = retryAfterMs === undefined ? planned : Math.min(Math.max(retryAfterMs, MIN_MS), MAX_RETRY_AFTER_MS);
  return Math.round(asked * (1 + random / 5));
}

/** A running mean that follows change: each job counts a fifth. */
export const learnUsualMs = (usualMs: number | null, tookMs: number): number =>
  usualMs === null ? tookMs : usualMs + (tookMs - usualMs) / 5;
