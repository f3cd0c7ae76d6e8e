import { expect, test } from 'vitest';

import { bucketAt, describeBucket, formatSpan, readBucket, type Series, spanOf, toScale } from './chart-series.ts';

const at = (hour: number, minute = 0): number => new Date(2026, 2, 1, hour, minute).getTime();
const buckets = { starts: [at(10), at(11), at(12)], ms: 3_600_000 };
const bar = (label: string, ...values: (number | null)[]): Series => ({
  key: label,
  label,
  color: '--series-1',
  shape: 'bar',
  values,
});
const series: readonly Series[] = [
  bar('small', 1, 0, 0),
  bar('large', 5, 0, 2),
  { ...bar('errors', 0, null, null), shape: 'line' },
];

test('finds the bucket below the mouse, and the span of one or several', () => {
  expect([-1, 0, 0.34, 0.99, 1, 2].map((part) => bucketAt(buckets, part))).toEqual([0, 0, 1, 2, 2, 2]);
  expect(spanOf(buckets, 1, 1)).toEqual({ fromMs: at(11), toMs: at(12) });
  expect(spanOf(buckets, 2, 0)).toEqual({ fromMs: at(10), toMs: at(13) });
});

test('reads what has a value, the largest bars first', () => {
  const { values, sum } = readBucket(series, 0);
  expect(values.map(({ series: { label }, value }) => [label, value])).toEqual([
    ['large', 5],
    ['small', 1],
    ['errors', 0],
  ]);
  expect(sum).toBe(6);
  expect(readBucket(series, 1)).toEqual({ values: [], sum: 0 });
});

test.each([
  [at(10), at(10, 30), 'Sun, Mar 1 10:00 to 10:30'],
  [at(22), at(26), 'Sun, Mar 1 22:00 to Mon, Mar 2 02:00'],
  [at(22), at(24), 'Sun, Mar 1 22:00 to 24:00'],
  [at(10) + 1000, at(10, 0) + 31_000, 'Sun, Mar 1 10:00:01 to 10:00:31'],
  [at(0), at(24), 'Sun, Mar 1'],
  [at(0, 15), at(24, 15), 'Sun, Mar 1 00:15 to Mon, Mar 2 00:15'],
  [at(0), at(72), 'Sun, Mar 1 to Tue, Mar 3'],
])('writes a span from %i to %i as %s', (fromMs, toMs, text) => {
  expect(formatSpan({ fromMs, toMs })).toBe(text);
});

test('says a bucket in words', () => {
  const reading = { buckets, series, anchor: null, formatValue: (value: number) => `$${value}` };
  expect([0, 1, 2].map((index) => describeBucket({ ...reading, index }))).toEqual([
    'Sun, Mar 1 10:00 to 11:00: $6 total, large $5, small $1, errors $0',
    'Sun, Mar 1 11:00 to 12:00: nothing',
    'Sun, Mar 1 12:00 to 13:00: $2 total, large $2',
  ]);
  expect(describeBucket({ ...reading, index: 0, anchor: 2 })).toBe('Sun, Mar 1 10:00 to 13:00 selected');
});

const line = (...values: (number | null)[]): Series => ({ ...bar('line', ...values), shape: 'line' });

test('shows stacked bars whole, below nothing too', () => {
  expect(toScale([bar('a', 1, 4), bar('b', 2, 6)]).high).toBeCloseTo(11);
  expect(toScale([bar('a', 10, -2)])).toEqual({ low: -2.2, high: 11 });
  expect(toScale([])).toEqual({ low: 0, high: 1 });
});

test('does not flatten a line by a single value far beyond the others', () => {
  const usual = [40, 50, 60, 45, null, 55, 48, 52, 51, 49];
  expect(toScale([line(...usual)]).high).toBeCloseTo(66);
  expect(toScale([line(...usual, 132_500)]).high).toBeCloseTo(132);
  // Of a few values none is out of the ordinary.
  expect(toScale([line(1, 2, 100)]).high).toBeCloseTo(110);
});
