import { expect, test } from 'vitest';

import { toSimilarities, toSimilarity } from './similarity.ts';

test('vectors of one direction are alike, of opposite ones are not, and one without a direction is like none', () => {
  expect(toSimilarity([1, 2], [2, 4])).toBeCloseTo(1);
  expect(toSimilarity([1, 0], [0, 3])).toBe(0);
  expect(toSimilarity([1, 1], [-1, -1])).toBeCloseTo(-1);
  expect(toSimilarity([0, 0], [1, 1])).toBe(0);
});

test('each vector is compared with each other one, both ways alike', () => {
  const rows = toSimilarities([
    [1, 0],
    [1, 1],
    [0, 1],
  ]);
  expect(rows.map((row) => row.map((value) => Number(value.toFixed(2))))).toEqual([
    [1, 0.71, 0],
    [0.71, 1, 0.71],
    [0, 0.71, 1],
  ]);
});
