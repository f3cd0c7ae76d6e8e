/** The middle value; of an even number of values, the upper of the two in the middle. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The value that `percent` of all values do not exceed, by nearest rank. NaN when there are none. */
export function percentile(values: readonly number[], percent: number): number {
  // A typed array sorts by number, and quickly: there are tens of thousands of them after a round.
  const sorted = Float64Array.from(values).sort();
  const rank = Math.floor((sorted.length * percent) / 100);
  return sorted[Math.min(rank, sorted.length - 1)] ?? Number.NaN;
}

/** The sum divided by the number. */
export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
