import { afterEach, describe, expect, test } from 'vitest';

import { setLocale } from '../../messages/locale.ts';
import { toGenerationQuery } from '../generations/search/generation-search.ts';
import { rangeOf, splitOf, toChartSpan, toOverviewSearch, toSpanBefore } from './overview-search.ts';

const HOUR_MS = 3_600_000;
const NOW = new Date(2026, 6, 10, 14, 37, 12).getTime();
const at = (day: number, hour = 0, minute = 0): number => new Date(2026, 6, day, hour, minute).getTime();

test.each([
  [{}, {}],
  [{ range: '24h', split: 'model' }, {}],
  [
    { range: '7d', split: 'none' },
    { range: '7d', split: 'none' },
  ],
  [{ range: 'toString', split: 'colour' }, {}],
  [
    { range: '7d', from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' },
    { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' },
  ],
  [{ from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' }, {}],
  [{ from: 'yesterday', to: '2026-03-01T00:00:00Z' }, {}],
])('reads %j as %j', (address, search) => {
  expect(toOverviewSearch(address)).toEqual(search);
});

test('shows the last 24 hours by model unless told otherwise', () => {
  expect([rangeOf({}), splitOf({})]).toEqual(['24h', 'model']);
  expect(rangeOf({ from: 'a', to: 'b' })).toBeNull();
});

const DAY_MS = 24 * HOUR_MS;

test.each([
  ['1h', HOUR_MS],
  ['24h', DAY_MS],
  ['7d', 7 * DAY_MS],
  ['30d', 30 * DAY_MS],
])('counts %s back from now, as the list of generations does', (range, ms) => {
  const { fromMs, isOpen } = toChartSpan({ range }, NOW);
  expect([fromMs, isOpen]).toEqual([NOW - ms, true]);
  expect(toGenerationQuery({ range }, NOW)['from']).toBe(new Date(fromMs).toISOString());
});

test('counts today from midnight to midnight', () => {
  expect(toChartSpan({ range: 'today' }, NOW)).toMatchObject({ fromMs: at(10), toMs: at(11), isOpen: false });
  expect(toGenerationQuery({ range: 'today' }, NOW)['from']).toBe(new Date(at(10)).toISOString());
});

test.each([
  ['1h', at(10, 13, 37), at(10, 14, 38), 61],
  ['24h', at(9, 14, 30), at(10, 15), 49],
  ['7d', at(3, 12), at(10, 15), 57],
  ['30d', at(10) - 30 * DAY_MS, at(11), 31],
  ['today', at(10), at(11), 48],
  ['yesterday', at(9), at(10), 48],
])('shows %s in buckets of full minutes or hours of the clock', (range, beginMs, endMs, count) => {
  const span = toChartSpan({ range }, NOW);
  expect(span).toMatchObject({ beginMs, endMs });
  expect((span.endMs - span.beginMs) / span.bucketMs).toBe(count);
});

test.each([
  [at(1, 10), at(1, 11), 60_000, 60],
  [at(1, 10), at(1, 10, 1), 1000, 60],
  [at(1), at(4), 2 * HOUR_MS, 36],
  [at(1, 10, 15), at(1, 12, 45), 5 * 60_000, 30],
])('cuts a span of its own into at most 60 buckets', (fromMs, toMs, bucketMs, count) => {
  const span = toChartSpan({ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }, NOW);
  expect(span).toEqual({ fromMs, toMs, isOpen: false, beginMs: fromMs, endMs: toMs, bucketMs });
  expect((toMs - fromMs) / bucketMs).toBe(count);
});

test('counts a span of its own to the minute, however its buckets are cut', () => {
  const search = { from: new Date(at(1, 10, 7)).toISOString(), to: new Date(at(2, 10, 3)).toISOString() };
  expect(toChartSpan(search, NOW)).toEqual({
    fromMs: at(1, 10, 7),
    toMs: at(2, 10, 3),
    isOpen: false,
    beginMs: at(1, 10),
    endMs: at(2, 10, 30),
    bucketMs: HOUR_MS / 2,
  });
});

const environment = (globalThis as unknown as { process: { env: Record<string, string | undefined> } }).process.env;
const zoneBefore = environment['TZ'];

describe('A day is compared with the day before', () => {
  afterEach(() => {
    environment['TZ'] = zoneBefore;
    setLocale('en', 'local', []);
  });

  test('by the clock, which was put forward on the Sunday', () => {
    environment['TZ'] = 'America/New_York';
    setLocale('en', 'local', []);
    const read = (range: string, now: string): string[] => {
      const { fromMs, toMs } = toSpanBefore({ range }, Date.parse(now)) ?? { fromMs: 0, toMs: 0 };
      return [fromMs, toMs - (range === 'today' ? 1 : 0)].map((ms) => new Date(ms).toString().slice(0, 24));
    };
    expect(read('today', '2026-03-09T17:41:23Z')).toEqual(['Sun Mar 08 2026 00:00:00', 'Sun Mar 08 2026 13:41:23']);
    expect(read('yesterday', '2026-03-09T17:41:23Z')).toEqual(['Sat Mar 07 2026 00:00:00', 'Sun Mar 08 2026 00:00:00']);
  });

  test('and no other span, which is as long as the one before', () => {
    expect(toSpanBefore({ range: '7d' }, NOW)).toBeNull();
    expect(toSpanBefore({}, NOW)).toBeNull();
  });
});
