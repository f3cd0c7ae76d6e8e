import { expect, test } from 'vitest';

import {
  formatPricePerMillion,
  formatUsd,
  formatUsdExactly,
  formatUsdInColumn,
  formatUsdTick,
  toUsdColumn,
} from './money.ts';
import { formatBytes, formatDuration, formatPercent, formatSpeed, formatTick } from './quantity.ts';
import { formatMoment, formatRelative, formatShortMoment } from './time.ts';

/** Numbers and units are kept together by spaces that break no line. */
const toPlain = (text: string): string => text.replaceAll('\u00a0', ' ');

test.each([
  [0, '$0'],
  [null, '—'],
  [Number.NaN, '—'],
  [0.00000312849, '$0.00000313'],
  [0.00999, '$0.00999'],
  [0.003, '$0.00300'],
  [0.009996, '$0.010'],
  [0.0123456, '$0.012'],
  [0.5, '$0.500'],
  [0.9996, '$1.00'],
  [1234.5, '$1,234.50'],
  [-0.25, '-$0.250'],
])('writes %o dollars as %s', (usd, text) => {
  expect(formatUsd(usd)).toBe(text);
});

test('writes an amount exactly, down to a nano-dollar', () => {
  expect([0.000003128, 12.4, 0, null].map(formatUsdExactly)).toEqual(['$0.000003128', '$12.40', '$0.00', '—']);
});

test.each([
  [
    [12.4, 0.4, null],
    ['$12.40_', '$0.400', '—'],
  ],
  [
    [12.4, 0, undefined],
    ['$12.40', '$0,__', '—'],
  ],
  [
    [12.4, 0.000099],
    ['$12.40____', '$0.000099'],
  ],
  [
    [0, 0],
    ['$0', '$0'],
  ],
])('fills the column of %j up to its longest amount, and no further', (amounts, expected) => {
  const column = amounts.map((usd) => toUsdColumn(amounts)(usd ?? null));
  expect(column.map((text) => text.replaceAll('\u2007', '_').replaceAll('\u2008', ','))).toEqual(expected);
});

test.each([
  [0.2, ['$0.20', '$0.40', '$1.00']],
  [0.025, ['$0.025', '$0.050', '$0.125']],
  [5, ['$5', '$10', '$25']],
  [0.0001, ['$0.0001', '$0.0002', '$0.0005']],
])('writes the amounts of an axis in steps of %d with the same digits', (step, expected) => {
  expect([1, 2, 5].map((times) => formatUsdTick(times * step, step))).toEqual(expected);
});

test('writes the times of an axis without needless digits', () => {
  const ticks = [0, 500, 1000, 1500, 10_000, 60_000, 90_000, 7_200_000].map(formatTick);
  expect(ticks.map(toPlain)).toEqual(['0 s', '500 ms', '1 s', '1.5 s', '10 s', '1 min', '1 min 30 s', '2 h 0 min']);
});

test('fills amounts up, so that the points of a column stand below one another', () => {
  const column = [12.4, 0.064, 0.00313, 0.0000987, 0].map(formatUsdInColumn);
  // A figure space is as wide as a digit, and a punctuation space as a point.
  expect(column.map((text) => text.replaceAll('\u2007', '_').replaceAll('\u2008', ','))).toEqual([
    '$12.40____',
    '$0.064___',
    '$0.00313_',
    '$0.000099',
    '$0,______',
  ]);
  expect(new Set(column.map((text) => text.length - text.search(/[.\u2008]/)))).toEqual(new Set([7]));
});

test('tells a price that is not known from none, and writes all digits of one that is', () => {
  expect(['0.0000000375', '0.00000125'].map(formatPricePerMillion)).toEqual(['$0.0375', '$1.25']);
  expect([
    formatPricePerMillion('-1'),
    formatPricePerMillion('0'),
    formatPricePerMillion('0.00000015'),
    formatPricePerMillion(undefined),
  ]).toEqual(['unknown', 'free', '$0.15', 'unknown']);
});

test('writes durations and sizes for people', () => {
  expect([null, 420, 2100, 12_340, 185_000, 7_500_000, 1_528_740_000].map(formatDuration).map(toPlain)).toEqual([
    '—',
    '420 ms',
    '2.10 s',
    '12.3 s',
    '3 min 5 s',
    '2 h 5 min',
    '17 d 16 h',
  ]);
  // What is rounded up to the next unit is written in it.
  expect([999.6, 9996, 59_960].map(formatDuration).map(toPlain)).toEqual(['1.00 s', '10.0 s', '1 min 0 s']);
  expect([null, 3.456789, 99.94, 240.123, 1500, 124_288].map(formatSpeed).map(toPlain)).toEqual([
    '—',
    '3.5 tokens/s',
    '99.9 tokens/s',
    '240 tokens/s',
    '1,500 tokens/s',
    '124.3K tokens/s',
  ]);
  expect([0, 99.456].map(formatPercent).map(toPlain)).toEqual(['0.0 %', '99.5 %']);
  const sizes = [12, 2048, 1_048_570, 3_500_000, 1_610_612_736].map(formatBytes);
  expect(sizes.map(toPlain)).toEqual(['12 B', '2.0 KB', '1.0 MB', '3.3 MB', '1.5 GB']);
});

test('keeps figures on one line', () => {
  const moment = formatMoment('2026-03-01T11:55:00Z', new Date('2026-04-01T00:00:00Z'));
  for (const figure of [formatDuration(185_000), formatSpeed(3), formatPercent(5), formatBytes(2048), moment])
    expect(figure).not.toContain(' ');
});

test('writes the time of a moment of today, the day of one of this year, and the month of one before', () => {
  const now = new Date(2026, 2, 1, 12);
  const short = (...at: [number, number, number, number?]): string =>
    toPlain(formatShortMoment(new Date(...at).toISOString(), now));
  expect(short(2026, 2, 1, 9)).toBe('09:00');
  expect(short(2026, 2, 1, 22)).toBe('22:00');
  expect(short(2026, 0, 31)).toBe('Jan 31');
  expect(short(2025, 10, 20)).toBe('Nov 2025');
  expect(formatShortMoment('never', now)).toBe('never');
});

test('writes moments as seen from now', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  expect(formatRelative('2026-03-01T11:55:00Z', now)).toBe('5 minutes ago');
  expect(formatRelative('2026-03-04T12:00:00Z', now)).toBe('in 3 days');
  expect(formatRelative('never', now)).toBe('never');
});
