/** An interval that holds a mean with 95 % confidence, as far as resampling tells. */
export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 2000;

/**
 * The mean of values with its 95 % bootstrap interval (percentiles of the means of 2,000 resamples). The same values and
 * seed always give the same interval. Null without values.
 */
export function bootstrapMean(values: readonly number[], seed: number): Interval | null {
  const count = values.length;
  if (count === 0) return null;
  const random = createSeededRandom(seed);
  const means = new Float64Array(RESAMPLES);
  for (let sample = 0; sample < RESAMPLES; sample += 1) {
    let sum = 0;
    for (let at = 0; at < count; at += 1) sum += values[Math.floor(random() * count)] ?? 0;
    means[sample] = sum / count;
  }
  means.sort();
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  return { mean, low: percentileOf(means, 0.025), high: percentileOf(means, 0.975) };
}

/** The value at a share of sorted values, by the nearest rank. NaN without values. */
export function percentileOf(sorted: ArrayLike<number>, share: number): number {
  const rank = Math.min(Math.max(Math.ceil(share * sorted.length), 1), sorted.length);
  return sorted[rank - 1] ?? Number.NaN;
}

/** Numbers from 0 up to 1 (mulberry32): enough for resampling, and the same everywhere. */
function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
