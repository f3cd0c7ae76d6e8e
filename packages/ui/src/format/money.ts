import { createMessages, perLocale } from '../messages/locale.ts';

/** The space as wide as a digit, and the one as wide as a point. */
const DIGIT_SPACE = '\u2007';
const POINT_SPACE = '\u2008';
/** Digits after the point that have their place in a column: of single requests, and of what costs cents at least. */
const COLUMN_DIGITS = 6;
const CENT_DIGITS = 3;

const currency = perLocale(({ tag }) => {
  const write = (options: Intl.NumberFormatOptions): Intl.NumberFormat =>
    new Intl.NumberFormat(tag, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', ...options });
  return {
    zero: write({ maximumFractionDigits: 0 }),
    dollars: write({ minimumFractionDigits: 2, maximumFractionDigits: 2 }),
    cents: write({ minimumFractionDigits: 3, maximumFractionDigits: 3 }),
    tiny: write({ minimumSignificantDigits: 3, maximumSignificantDigits: 3 }),
    micros: write({ minimumFractionDigits: COLUMN_DIGITS, maximumFractionDigits: COLUMN_DIGITS }),
    exact: write({ minimumFractionDigits: 2, maximumFractionDigits: 9 }),
  };
});

/**
 * USD as all screens write it: `$12.40` from a dollar, `$0.064` from a cent, `$0.00313` below (three digits that
 * matter). Null is not known.
 */
export function formatUsd(usd: number | null): string {
  if (usd === null || !Number.isFinite(usd)) return '—';
  return currency()[styleOf(usd)].format(usd);
}

function styleOf(usd: number): 'zero' | 'dollars' | 'cents' | 'tiny' {
  if (usd === 0) return 'zero';
  const size = Math.abs(usd);
  // What rounds up to a dollar or to a cent is written as one.
  return size >= 0.9995 ? 'dollars' : size >= 0.009995 ? 'cents' : 'tiny';
}

/** Every digit that the gateway accounts for, down to a nano-dollar: `$0.003128456`. */
export function formatUsdExactly(usd: number | null): string {
  if (usd === null || !Number.isFinite(usd)) return '—';
  return currency().exact.format(usd);
}

/**
 * As `formatUsd`, to millionths of a dollar at most, and filled up with spaces, so that a right-aligned column of tabular
 * figures stands on its points.
 */
export const formatUsdInColumn = (usd: number | null): string => fillUp(usd, COLUMN_DIGITS);

/** The same for sums and what costs cents at least; what is less than a cent stands out to the left. */
export const formatCentsInColumn = (usd: number | null): string => fillUp(usd, CENT_DIGITS);

function fillUp(usd: number | null, digits: number): string {
  if (usd === null || !Number.isFinite(usd)) return '—';
  const style = styleOf(usd);
  const parts = currency()[style === 'tiny' && Math.abs(usd) < 0.001 ? 'micros' : style].formatToParts(usd);
  const fraction = parts.find(({ type }) => type === 'fraction')?.value.length ?? 0;
  const missing = DIGIT_SPACE.repeat(Math.max(0, digits - fraction));
  return parts.map(({ value }) => value).join('') + (fraction === 0 ? POINT_SPACE : '') + missing;
}

const priceWords = createMessages(
  { unknown: 'unknown', free: 'free' },
  { de: { unknown: 'unbekannt', free: 'kostenlos' } },
);

/** A price a token (decimal text, `-1` when not known) as USD a million tokens. */
export function formatPricePerMillion(price: unknown): string {
  const usd = Number(price ?? Number.NaN);
  if (!Number.isFinite(usd) || usd < 0) return priceWords().unknown;
  return usd === 0 ? priceWords().free : formatPrice(Number((usd * 1e6).toPrecision(10)));
}

const price = perLocale(
  ({ tag }) =>
    new Intl.NumberFormat(tag, {
      style: 'currency',
      currency: 'USD',
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: 2,
      maximumFractionDigits: 6,
    }),
);

/** A price as providers publish it, with every digit it has: `$0.15`, `$1.25`, `$0.0375`. */
export const formatPrice = (usd: number): string => price().format(usd);
