import { expect, test } from 'vitest';

import { arrivalAt, toArrivals } from './to-arrivals.ts';

const timeline = { interval_ms: 20, gaps_ms: [400, 20, 900, 30], text: [0, 5, 4, 2], reasoning: [3, 0, 0, 0] };
const output = { completion: 'Hello 🎬\n, ', reasoning: 'Hm.' };
const toGeneration = (generationTime: number | null, finishReason = 'stop', cancelled = false) => ({
  generation_time: generationTime,
  finish_reason: finishReason,
  cancelled,
});
const arrivals = toArrivals({ timeline, output, generation: toGeneration(1400) });

test('gives each piece with its text and its moment, and the end last', () => {
  expect(arrivals.map(({ atMs, gapMs, text, reasoning, ending }) => [atMs, gapMs, text, reasoning, ending])).toEqual([
    [400, 400, '', 'Hm.', null],
    [420, 20, 'Hello', '', null],
    [1320, 900, ' 🎬\n', '', null],
    [1350, 30, ', ', '', null],
    [1400, 50, '', '', 'end of response'],
  ]);
  expect(arrivals.map(({ textLength, reasoningLength }) => [textLength, reasoningLength])).toEqual([
    [0, 3],
    [5, 3],
    [9, 3],
    [11, 3],
    [11, 3],
  ]);
});

test('marks the longest gap, for which the wait before the first piece does not count', () => {
  const longestOf = (gaps: number[], generationTime: number | null) =>
    toArrivals({
      timeline: { interval_ms: 20, gaps_ms: gaps, text: gaps.map(() => 1) },
      output: { completion: 'x'.repeat(gaps.length), reasoning: null },
      generation: toGeneration(generationTime),
    }).flatMap(({ isLongestGap, index }) => (isLongestGap ? [index] : []));
  expect(longestOf([5000, 30, 90, 90], null)).toEqual([2]);
  expect(longestOf([5000, 30, 90], 60_000)).toEqual([3]);
  expect(longestOf([5000], null)).toEqual([]);
});

test('is empty when no text came', () => {
  const empty = { interval_ms: 20, gaps_ms: [], text: [] };
  expect(toArrivals({ timeline: empty, output, generation: toGeneration(5) })).toEqual([]);
});

test('does not end before its last piece, whatever the record says', () => {
  const late = toArrivals({ timeline, output, generation: toGeneration(1000) });
  expect(late.at(-1)).toMatchObject({ atMs: 1350, gapMs: 0, ending: 'end of response' });
});

test('tells how the response ended', () => {
  const endingOf = (finishReason: string, cancelled = false) =>
    toArrivals({ timeline, output, generation: toGeneration(9000, finishReason, cancelled) }).at(-1)?.ending;
  expect(endingOf('length')).toBe('end of response');
  expect(endingOf('error')).toBe('response broke off');
  expect(endingOf('stop', true)).toBe('client disconnected');
});

test('finds what had come by a moment', () => {
  expect([0, 399, 400, 1319.9, 1320, 9999].map((at) => arrivalAt(arrivals, at))).toEqual([-1, -1, 0, 1, 2, 4]);
});
