/** USD with four significant digits below a cent, two decimals above: `$0.003128`, `$12.40`. Null is not known. */
export function formatUsd(usd: number | null): string {
  if (usd === null || !Number.isFinite(usd)) return '—';
  if (usd === 0) return '$0';
  const size = Math.abs(usd);
  if (size >= 0.01)
    return `$${usd.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: size < 1 ? 4 : 2 })}`;
  return `$${usd.toLocaleString('en-US', { maximumSignificantDigits: 4, maximumFractionDigits: 20 })}`;
}

/** A price a token (decimal text, `-1` when not known) as USD a million tokens. */
export function formatPricePerMillion(price: unknown): string {
  const usd = Number(price ?? Number.NaN);
  if (!Number.isFinite(usd) || usd < 0) return 'unknown';
  return usd === 0 ? 'free' : formatUsd(Number((usd * 1e6).toPrecision(10)));
}
