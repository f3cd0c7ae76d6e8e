import { expect, test } from 'vitest';

import { takePercentile } from './take-percentile.ts';

/** Numbers that look random and are the same each time. */
const scatter = (count: number, kinds: number): number[] =>
  Array.from({ length: count }, (_, at) => ((at * 7919 + 104_729) * 31) % kinds);

test.each([
  ['none', []],
  ['one', [7]],
  ['two', [9, 2]],
  ['equal ones', Array.from({ length: 50 }, () => 3)],
  ['rising ones', Array.from({ length: 101 }, (_, at) => at)],
  ['falling ones', Array.from({ length: 100 }, (_, at) => 100 - at)],
  ['few kinds', scatter(1000, 7)],
  ['many kinds', scatter(1001, 991)],
])('takes from %s what sorting them would show', (_, values) => {
  const sorted = values.toSorted((a, b) => a - b);
  for (const part of [0, 0.01, 0.5, 0.95, 1]) {
    const expected = sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
    expect(takePercentile(Float64Array.from(values), part)).toBe(expected);
  }
});
