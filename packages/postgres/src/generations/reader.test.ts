import { expect, test } from 'vitest';

import { SlowQueryError, type Span, walkSpans } from './reader.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const span = { fromMs: 7, toMs: 30 * DAY_MS + 13 };

/** Walks where an hour of calls takes so long to look at, and what takes longer than it may is stopped. */
async function walk(hourMs: number, budgetMs = 400) {
  let now = 0;
  const parts: Span[] = [];
  let stopped = 0;
  const searchedFromMs = await walkSpans({ span, budgetMs, monotonicNow: () => now }, async (part, limitMs) => {
    const takesMs = ((part.toMs - part.fromMs) / HOUR_MS) * hourMs;
    now += Math.min(takesMs, limitMs);
    if (takesMs > limitMs) {
      stopped += 1;
      throw new SlowQueryError();
    }
    parts.push(part);
    return false;
  });
  return { searchedFromMs, parts, stopped, tookMs: now };
}

test('a walk looks at each moment once, newest first, up to the beginning of the span', async () => {
  const { searchedFromMs, parts } = await walk(0.1);
  expect(searchedFromMs).toBe(span.fromMs);
  expect(parts.at(-1)?.fromMs).toBe(span.fromMs);
  expect(parts.map(({ toMs }) => toMs)).toEqual([span.toMs, ...parts.slice(0, -1).map(({ fromMs }) => fromMs)]);
});

test('a walk that cannot reach the beginning uses most of its time, without a step that is stopped', async () => {
  const { searchedFromMs, parts, stopped, tookMs } = await walk(1.5);
  expect(stopped).toBe(0);
  expect(searchedFromMs).toBe(parts.at(-1)?.fromMs);
  expect(tookMs).toBeLessThanOrEqual(400);
  expect(span.toMs - searchedFromMs).toBeGreaterThan((0.8 * 400 * HOUR_MS) / 1.5);
});

test('steps are whole milliseconds, also where they have to be shorter than the first', async () => {
  const { parts, stopped } = await walk(300);
  expect(stopped).toBeGreaterThan(0);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.flatMap(({ fromMs, toMs }) => [fromMs, toMs]).every(Number.isInteger)).toBe(true);
});
