import { expect, test } from 'vitest';

import { bootstrapMean, percentileOf } from './bootstrap.ts';

/** Values that are all different, so that the means of resamples are too. */
const RISING = Array.from({ length: 50 }, (_, at) => Math.sqrt(at));
const HALF = Array.from({ length: 100 }, (_, at) => at % 2);

test('gives the same interval for the same values and seed, and about the one of theory', () => {
  expect(bootstrapMean(RISING, 1)).toEqual(bootstrapMean(RISING, 1));
  expect(bootstrapMean(RISING, 1)).not.toEqual(bootstrapMean(RISING, 2));
  const interval = bootstrapMean(HALF, 1);
  // 0.5 ± 1.96 * sqrt(0.25 / 100)
  expect(interval?.mean).toBe(0.5);
  expect(interval?.low).toBeGreaterThan(0.38);
  expect(interval?.low).toBeLessThan(0.43);
  expect(interval?.high).toBeGreaterThan(0.57);
  expect(interval?.high).toBeLessThan(0.62);
});

test('has a point for values that are all the same, and nothing without values', () => {
  expect(bootstrapMean([1, 1, 1], 1)).toEqual({ mean: 1, low: 1, high: 1 });
  expect(bootstrapMean([], 1)).toBeNull();
});

test('finds percentiles by the nearest rank', () => {
  const sorted = [10, 20, 30, 40];
  expect([0, 0.25, 0.5, 0.95, 1].map((share) => percentileOf(sorted, share))).toEqual([10, 10, 20, 40, 40]);
});
