import { expect, test } from 'vitest';

import { rangeOf, splitOf, toChartSpan, toOverviewSearch } from './overview-search.ts';

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

test.each([
  ['1h', at(10, 13, 38), at(10, 14, 38), 60],
  ['24h', at(9, 15), at(10, 15), 48],
  ['7d', at(3, 15), at(10, 15), 56],
  ['today', at(10), at(11), 48],
])('cuts %s into full minutes or hours of the clock', (range, fromMs, toMs, count) => {
  const span = toChartSpan({ range }, NOW);
  expect(span).toMatchObject({ fromMs, toMs });
  expect((span.toMs - span.fromMs) / span.bucketMs).toBe(count);
});

test('cuts 30 days into days', () => {
  const span = toChartSpan({ range: '30d' }, NOW);
  expect([span.bucketMs, (span.toMs - span.fromMs) / span.bucketMs, span.toMs]).toEqual([24 * HOUR_MS, 30, at(11)]);
});

test.each([
  [at(1, 10), at(1, 11), 60_000, 60],
  [at(1, 10), at(1, 10, 1), 1000, 60],
  [at(1), at(4), 2 * HOUR_MS, 36],
  [at(1, 10, 15), at(1, 12, 45), 5 * 60_000, 30],
])('cuts a span of its own into at most 60 buckets', (fromMs, toMs, bucketMs, count) => {
  const span = toChartSpan({ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }, NOW);
  expect(span).toEqual({ fromMs, toMs, bucketMs });
  expect((toMs - fromMs) / bucketMs).toBe(count);
});
