import { createMessages, perLocale } from '../messages/locale.ts';

/** The space as wide as a digit, and the one as wide as a point. */
const DIGIT_SPACE = '\u2007';
const POINT_SPACE = '\u2008';
/** Digits after the point that have their place in a column. */
const COLUMN_DIGITS = 6;

const currency = perLocale(({ tag }) => {
  const write = (options: Intl.NumberFormatOptions): Intl.NumberFormat =>
    new Intl.NumberFormat(tag, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', ...options });
  return {
    zero: write({ maximumFractionDigits: 0 }),
    dollars: write({ minimumFractionDigits: 2, maximumFractionDigits: 2 }),
    cents: write({ minimumFractionDigits: 3, maximumFractionDigits: 3 }),
    tiny: write({ minimumSignificantDigits: 3, maximumSignificantDigits: 3 }),
    micros: write({ minimumFractionDigits: COLUMN_DIGITS, maximumFractionDigits: COLUMN_DIGITS }),
    ofDigits: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((digits) =>
      write({ minimumFractionDigits: digits, maximumFractionDigits: digits }),
    ),
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

/** An amount beside an axis, with the digits that a step of its size needs: `$0.20` and `$1.00`; `$5` and `$10`. */
export function formatUsdTick(usd: number, step: number): string {
  const needed = [0, 1, 2, 3, 4, 5, 6, 7, 8].find((digits) => isWhole(step * 10 ** digits)) ?? 9;
  return currency().ofDigits[needed === 1 ? 2 : needed]?.format(usd) ?? formatUsd(usd);
}

const isWhole = (value: number): boolean => Math.abs(value - Math.round(value)) < 1e-6;

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

/**
 * Creates what writes the amounts of a column that are all known. They are filled up to the digits of the longest, so
 * that the column stands on its points and ends below its head.
 */
export function toUsdColumn(amounts: readonly (number | null | undefined)[]): (usd: number | null) => string {
  const digits = Math.max(0, ...amounts.map((usd) => (usd == null ? 0 : digitsOf(toColumnParts(usd)))));
  return (usd) => fillUp(usd, digits);
}

function fillUp(usd: number | null, digits: number): string {
  if (usd === null || !Number.isFinite(usd)) return '—';
  const parts = toColumnParts(usd);
  const fraction = digitsOf(parts);
  const point = fraction === 0 && digits > 0 ? POINT_SPACE : '';
  return parts.map(({ value }) => value).join('') + point + DIGIT_SPACE.repeat(Math.max(0, digits - fraction));
}

function toColumnParts(usd: number): readonly Intl.NumberFormatPart[] {
  const style = styleOf(usd);
  return currency()[style === 'tiny' && Math.abs(usd) < 0.001 ? 'micros' : style].formatToParts(usd);
}

const digitsOf = (parts: readonly Intl.NumberFormatPart[]): number =>
  parts.find(({ type }) => type === 'fraction')?.value.length ?? 0;

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
