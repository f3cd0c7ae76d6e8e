import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { StreamTimeline } from '../wire/generation.ts';
import { createCompletionAccumulator, recordTimeline } from './completion-accumulator.ts';

interface Piece {
  readonly at: number;
  readonly content?: string;
  readonly reasoning?: string;
}

/** A call that began at 1000 by its clock, of which these pieces came, each in a batch of its own. */
function recordPieces(pieces: readonly Piece[]): { timeline: StreamTimeline; text: string; clockReads: number } {
  let now = 1000;
  let clockReads = 0;
  const monotonicNow = (): number => {
    clockReads += 1;
    return now;
  };
  const completion = createCompletionAccumulator();
  const recorder = recordTimeline({ monotonicNow }, 1000);
  for (const { at, ...delta } of pieces) {
    now = 1000 + at;
    completion.observe([{ choices: [{ index: 0, delta, finish_reason: null, native_finish_reason: null }] }]);
    recorder.note(completion);
  }
  completion.readBack();
  return { timeline: recorder.toTimeline(), text: completion.text, clockReads };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

test('records when each piece came and how long it was', () => {
  const { timeline } = recordPieces([
    { at: 400, content: 'Hel' },
    { at: 420.4, content: 'lo' },
    { at: 1500.6, content: ', 🎬' },
  ]);
  expect(timeline).toEqual({ interval_ms: 20, gaps_ms: [400, 20, 1081], text: [3, 2, 4] });
});

test('takes together what comes within 20 milliseconds of the first of it', () => {
  const { timeline } = recordPieces([0, 10, 19, 20, 25, 39, 40].map((at) => ({ at, content: 'x' })));
  expect(timeline).toEqual({ interval_ms: 20, gaps_ms: [0, 20, 20], text: [3, 3, 1] });
});

test('separates reasoning from text, and omits it where there is none', () => {
  const { timeline } = recordPieces([
    { at: 5, reasoning: 'Well' },
    { at: 50, reasoning: '.', content: 'Yes' },
    { at: 90, content: '!' },
  ]);
  expect(timeline).toEqual({ interval_ms: 20, gaps_ms: [5, 45, 40], text: [0, 3, 1], reasoning: [4, 1, 0] });
  expect(recordPieces([{ at: 1, content: 'x' }]).timeline).not.toHaveProperty('reasoning');
});

test('is empty where no text came, and looks at the clock only when there is more', () => {
  expect(recordPieces([{ at: 5 }, { at: 90, content: '' }])).toMatchObject({
    timeline: { interval_ms: 20, gaps_ms: [], text: [] },
    clockReads: 0,
  });
  expect(recordPieces([{ at: 5, content: 'x' }, { at: 6 }, { at: 7, content: 'y' }]).clockReads).toBe(2);
});

test('counts a text that is so long that it is packed away', () => {
  const content = `${'é🎬'.repeat(5_000)}\ud83c`;
  const { timeline, text } = recordPieces([0, 1, 2, 3, 4, 5, 6, 7].map((at) => ({ at: at * 100, content })));
  expect(timeline.text).toEqual(Array.from({ length: 8 }, () => 15_001));
  expect(text).toHaveLength(8 * 15_001);
});

test('keeps to 500 arrivals however many there are, taking together what is closest', () => {
  const steady = recordPieces(Array.from({ length: 500 }, (_, index) => ({ at: index * 20, content: 'ab' }))).timeline;
  expect(steady).toMatchObject({ interval_ms: 20 });
  expect(steady.gaps_ms).toHaveLength(500);
  const longer = recordPieces(Array.from({ length: 501 }, (_, index) => ({ at: index * 20, content: 'ab' }))).timeline;
  expect(longer).toMatchObject({ interval_ms: 40 });
  expect(longer.gaps_ms).toEqual([0, ...Array.from({ length: 250 }, () => 40)]);
  expect(longer.text).toEqual([...Array.from({ length: 250 }, () => 4), 2]);
});

test('takes slow arrivals together, too, when there are too many', () => {
  const { timeline } = recordPieces(Array.from({ length: 501 }, (_, index) => ({ at: index * 5000, content: 'a' })));
  expect(timeline).toMatchObject({ interval_ms: 5120 });
  expect(timeline.gaps_ms).toEqual([0, ...Array.from({ length: 250 }, () => 10_000)]);
});

test('accounts for every character and every moment, whatever came when', () => {
  const piece = fc.record({
    wait: fc.oneof(fc.nat(5), fc.nat(300), fc.nat(100_000)),
    content: fc.string({ maxLength: 4 }),
    reasoning: fc.string({ maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 1500, size: 'max' }), (pieces) => {
      let at = 0;
      const timed = pieces.map(({ wait, ...texts }) => ({ ...texts, at: (at += wait) }));
      const { timeline } = recordPieces(timed);
      const { interval_ms: intervalMs, gaps_ms: gaps, text, reasoning = [] } = timeline;
      expect(gaps.length).toBeLessThanOrEqual(500);
      expect(text).toHaveLength(gaps.length);
      expect(sum(text)).toBe(sum(pieces.map(({ content }) => content.length)));
      expect(sum(reasoning)).toBe(sum(pieces.map((one) => one.reasoning.length)));
      for (const gap of gaps.slice(1)) expect(gap).toBeGreaterThanOrEqual(intervalMs);
      const last = timed.findLast(({ content, reasoning: thought }) => content !== '' || thought !== '')?.at ?? 0;
      expect(last - sum(gaps)).toBeGreaterThanOrEqual(0);
      expect(last - sum(gaps)).toBeLessThan(intervalMs);
    }),
    { numRuns: 25 },
  );
});
