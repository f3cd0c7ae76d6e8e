/** A wait beyond an hour is no help to a caller and a hazard to a scheduler. */
export const MAX_RETRY_AFTER_SECONDS = 3600;

/**
 * Reads `Retry-After`: whole seconds or an HTTP date. Invalid values and the past count as absent; the far future is
 * cut to an hour. `retry-after-ms`, which some providers send beside it, is more exact and takes precedence. A date
 * counts from the sender's own time in `date`; `nowMs` is for a sender without one.
 */
export function readRetryAfterSeconds(
  headers: Readonly<Record<string, string>>,
  nowMs = Number.NaN,
): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'] || Number.NaN);
  const text = headers['retry-after'] ?? '';
  const seconds = Number.isFinite(milliseconds)
    ? milliseconds / 1000
    : /^\d+$/.test(text)
      ? Number(text)
      : (Date.parse(text) - (Date.parse(headers['date'] ?? '') || nowMs)) / 1000;
  return seconds >= 0 ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS) : undefined;
}
