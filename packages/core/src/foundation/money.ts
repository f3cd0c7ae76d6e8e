/** Amounts are summed up as whole billionths of a dollar, so that no binary fraction shows. */
export const NANO_PER_USD = 1e9;

/** An amount in nano-dollars; what is smaller than one is rounded. */
export function toNanoUsd(usd: number): number {
  return Math.round(usd * NANO_PER_USD);
}

/** The amount that whole nano-dollars are, as people write it: without trailing zeros, never with an exponent. */
export function formatUsd(nanoUsd: number): string {
  const text = (nanoUsd / NANO_PER_USD).toFixed(9).replace(/\.?0+$/, '');
  return `$${text}`;
}

/** The amount that whole nano-dollars are, as a number. */
export function toUsd(nanoUsd: number): number {
  return nanoUsd / NANO_PER_USD;
}
