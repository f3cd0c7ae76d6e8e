import { expect, test } from 'vitest';

import { learnUsualMs, nextPollDelayMs } from './poll.ts';

const at = (ageMs: number, rest: Partial<Parameters<typeof nextPollDelayMs>[0]> = {}, random = 0): number =>
  nextPollDelayMs({ ageMs, usualMs: 200_000, failures: 0, ...rest }, random);

test('looks are rare at first, close together around the usual time, and rare again for what is overdue', () => {
  expect([at(0), at(100_000), at(190_000), at(200_000), at(230_000), at(3_600_000)]).toEqual([
    20_000, 10_000, 2000, 2000, 3000, 30_000,
  ]);
});

test('up to a fifth is added, so that what began together does not stay together', () => {
  expect([at(0, {}, 0), at(0, {}, 1)]).toEqual([20_000, 24_000]);
});

test('failures double the wait, up to half a minute', () => {
  expect([1, 2, 3, 4, 50].map((failures) => at(200_000, { failures }))).toEqual([4000, 8000, 16_000, 30_000, 30_000]);
});

test('upstream’s own wait takes precedence, within limits', () => {
  expect([0, 700, 60_000, 86_400_000].map((retryAfterMs) => at(0, { retryAfterMs }))).toEqual([
    500, 700, 60_000, 300_000,
  ]);
});

test('the usual time follows what jobs have taken', () => {
  expect(learnUsualMs(null, 50_000)).toBe(50_000);
  expect(learnUsualMs(50_000, 100_000)).toBe(60_000);
  expect(nextPollDelayMs({ ageMs: 0, usualMs: null, failures: 0 }, 0)).toBe(6000);
});
