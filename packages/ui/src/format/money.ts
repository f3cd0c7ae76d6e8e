// Made once: a formatter costs more than a thousand numbers it formats.
const dollars = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const cents = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
const tiny = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4, maximumFractionDigits: 20 });

/** USD with four significant digits below a cent, two decimals above: `$0.003128`, `$12.40`. Null is not known. */
export function formatUsd(usd: number | null): string {
  if (usd === null || !Number.isFinite(usd)) return '—';
  if (usd === 0) return '$0';
  const size = Math.abs(usd);
  const format = size >= 1 ? dollars : size >= 0.01 ? cents : tiny;
  return `$${format.format(usd)}`;
}

/** A price a token (decimal text, `-1` when not known) as USD a million tokens. */
export function formatPricePerMillion(price: unknown): string {
  const usd = Number(price ?? Number.NaN);
  if (!Number.isFinite(usd) || usd < 0) return 'unknown';
  return usd === 0 ? 'free' : formatUsd(Number((usd * 1e6).toPrecision(10)));
}
