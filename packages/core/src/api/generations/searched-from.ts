/** The moment from which on no calls are missing that were dropped, for a response about a span that begins before it. */
export function toCompleteFrom(
  completeFromMs: number | undefined,
  fromMs: number,
): { readonly complete_from?: string } {
  const isWhole = completeFromMs === undefined || completeFromMs <= fromMs;
  return isWhole ? {} : { complete_from: new Date(completeFromMs).toISOString() };
}

/** The moment from which on all calls were looked at, for a response, where the store had no time for more. */
export function toSearchedFrom(...moments: readonly (number | undefined)[]): { readonly searched_from?: string } {
  const latest = Math.max(...moments.map((ms) => ms ?? Number.NEGATIVE_INFINITY));
  return Number.isFinite(latest) ? { searched_from: new Date(latest).toISOString() } : {};
}
