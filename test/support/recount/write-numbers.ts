/*
 * Numbers as the screens write them in English, from exact decimals: an amount is rounded once, and by other means than
 * the product's.
 */

/** A nano-dollar amount as decimal text: `0.000003128`. */
function toDecimal(nanoUsd: number): string {
  const digits = String(Math.abs(nanoUsd)).padStart(10, '0');
  return `${nanoUsd < 0 ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

const write = (options: Intl.NumberFormatOptions): ((decimal: string) => string) => {
  const format = new Intl.NumberFormat('en-US', options);
  return (decimal) => format.format(decimal as Intl.StringNumericLiteral);
};
const money = { style: 'currency', currency: 'USD' } as const;
const WRITERS = {
  dollars: write(money),
  cents: write({ ...money, minimumFractionDigits: 3, maximumFractionDigits: 3 }),
  tiny: write({ ...money, minimumSignificantDigits: 3, maximumSignificantDigits: 3 }),
  micros: write({ ...money, minimumFractionDigits: 6, maximumFractionDigits: 6 }),
  exact: write({ ...money, minimumFractionDigits: 2, maximumFractionDigits: 9 }),
  whole: write({}),
  tenths: write({ minimumFractionDigits: 1, maximumFractionDigits: 1 }),
  hundredths: write({ minimumFractionDigits: 2, maximumFractionDigits: 2 }),
  compact: write({ notation: 'compact', maximumFractionDigits: 1 }),
};

/** `$12.40` from a dollar, `$0.064` from a cent, three digits that matter below. */
export function usd(nanoUsd: number): string {
  if (nanoUsd === 0) return '$0';
  const size = Math.abs(nanoUsd);
  const decimal = toDecimal(nanoUsd);
  if (size >= 999_500_000) return WRITERS.dollars(decimal);
  return size >= 9_995_000 ? WRITERS.cents(decimal) : WRITERS.tiny(decimal);
}

/** The same in a column, which ends at a millionth of a dollar. */
export const usdInColumn = (nanoUsd: number): string =>
  nanoUsd !== 0 && Math.abs(nanoUsd) < 1_000_000 ? WRITERS.micros(toDecimal(nanoUsd)) : usd(nanoUsd);

export const usdExactly = (nanoUsd: number): string => WRITERS.exact(toDecimal(nanoUsd));

/** A fraction that needs no more than 15 digits to be told. */
const toText = (value: number): string => value.toFixed(9);

export const whole = (value: number | null): string => (value === null ? '—' : WRITERS.whole(String(value)));
export const rounded = (value: number | null): string =>
  value === null ? '—' : WRITERS.whole(String(Math.round(value)));
export const compact = (value: number | null): string => (value === null ? '—' : WRITERS.compact(toText(value)));
/** A part of a whole in per cent; a dash where there is nothing. */
export const share = (part: number, all: number): string =>
  all === 0 ? '—' : `${WRITERS.tenths(toText((part * 100) / all))} %`;

export function duration(ms: number | null): string {
  if (ms === null) return '—';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms < 10_000 ? WRITERS.hundredths : WRITERS.tenths)(toText(ms / 1000))} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Tokens a second beside their unit. */
export function speed(tokensPerSecond: number | null): string {
  if (tokensPerSecond === null) return '—';
  if (tokensPerSecond < 100) return `${WRITERS.tenths(toText(tokensPerSecond))} tokens/s`;
  return `${tokensPerSecond < 10_000 ? rounded(tokensPerSecond) : compact(tokensPerSecond)} tokens/s`;
}

/** `+12 %`, `no change`, `new`: how a figure differs from the one before. */
export function change(now: number | null, before: number | null): string {
  if (now === null || before === null) return '–';
  if (before === 0) return now === 0 ? 'no change' : 'new';
  const part = ((now - before) * 100) / Math.abs(before);
  if (Math.abs(part) < 0.5) return 'no change';
  const size = Math.abs(part);
  return `${part > 0 ? '+' : '−'}${size < 1 ? WRITERS.tenths(toText(size)) : rounded(size)} %`;
}
