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
 * How long to wait before looking at a job again. Upstream's own word counts most. Otherwise it is a tenth of the time
 * that is likely still to go, so that looks are rare at first, close together around the time when such jobs end, and
 * rare again for one that is overdue; failures double it. Up to a fifth is added by `random` (0 to 1), so that jobs
 * that came together do not stay together.
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
