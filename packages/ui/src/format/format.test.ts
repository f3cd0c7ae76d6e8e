import { expect, test } from 'vitest';

import { formatPricePerMillion, formatUsd } from './money.ts';
import { formatBytes, formatDuration, formatPercent, formatSpeed } from './quantity.ts';
import { formatRelative } from './time.ts';

test.each([
  [0, '$0'],
  [null, '—'],
  [Number.NaN, '—'],
  [0.00000312849, '$0.000003128'],
  [0.0123456, '$0.0123'],
  [0.5, '$0.50'],
  [1234.5, '$1,234.50'],
])('writes %o dollars as %s', (usd, text) => {
  expect(formatUsd(usd)).toBe(text);
});

test('tells a price that is not known from none', () => {
  expect([
    formatPricePerMillion('-1'),
    formatPricePerMillion('0'),
    formatPricePerMillion('0.00000015'),
    formatPricePerMillion(undefined),
  ]).toEqual(['unknown', 'free', '$0.15', 'unknown']);
});

test('writes durations and sizes for people', () => {
  expect([null, 420, 2100, 12_340, 185_000].map(formatDuration)).toEqual([
    '—',
    '420 ms',
    '2.10 s',
    '12.3 s',
    '3 min 5 s',
  ]);
  expect([null, 3.456789, 99.94, 240.123].map(formatSpeed)).toEqual([
    '—',
    '3.5 tokens/s',
    '99.9 tokens/s',
    '240 tokens/s',
  ]);
  expect([0, 99.456].map(formatPercent)).toEqual(['0.0 %', '99.5 %']);
  expect([12, 2048, 3_500_000].map(formatBytes)).toEqual(['12 B', '2.0 KB', '3.3 MB']);
});

test('writes moments as seen from now', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  expect(formatRelative('2026-03-01T11:55:00Z', now)).toBe('5 minutes ago');
  expect(formatRelative('2026-03-04T12:00:00Z', now)).toBe('in 3 days');
  expect(formatRelative('never', now)).toBe('never');
});
