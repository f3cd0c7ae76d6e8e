import { expect, test } from 'vitest';

import { HOUR_MS, toPeriodEnd, toPeriodStart } from './days.ts';

const NOW = new Date(2026, 4, 3, 15, 30).getTime();

test('begins periods so long before now, and days at their midnights', () => {
  expect(toPeriodStart('1h', NOW)).toBe(NOW - HOUR_MS);
  expect(toPeriodStart('today', NOW)).toBe(new Date(2026, 4, 3).getTime());
  expect(toPeriodStart('yesterday', NOW)).toBe(new Date(2026, 4, 2).getTime());
});

test('ends yesterday at the last midnight, and everything else now', () => {
  expect(toPeriodEnd('yesterday', NOW)).toBe(new Date(2026, 4, 3).getTime());
  expect(toPeriodEnd('today', NOW)).toBeNull();
  expect(toPeriodEnd('7d', NOW)).toBeNull();
});
