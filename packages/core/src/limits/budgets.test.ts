import { expect, test } from 'vitest';

import { periodEnd, periodStart } from './budgets.ts';

test.each([
  ['2026-01-02T03:04:05.000Z', '2026-01-02', '2025-12-29', '2026-01-01'],
  ['2025-12-31T23:59:59.999Z', '2025-12-31', '2025-12-29', '2025-12-01'],
  ['2026-01-01T00:00:00.000Z', '2026-01-01', '2025-12-29', '2026-01-01'],
  ['2026-03-29T23:30:00.000Z', '2026-03-29', '2026-03-23', '2026-03-01'],
  ['2026-03-30T00:00:00.000Z', '2026-03-30', '2026-03-30', '2026-03-01'],
  ['2028-02-29T12:00:00.000Z', '2028-02-29', '2028-02-28', '2028-02-01'],
  ['2028-03-01T00:00:00.000Z', '2028-03-01', '2028-02-28', '2028-03-01'],
  ['2026-10-31T23:00:00.000-05:00', '2026-11-01', '2026-10-26', '2026-11-01'],
])('at %s the day began on %s, the week on %s and the month on %s, in UTC', (now, day, week, month) => {
  const nowMs = Date.parse(now);
  expect(periodStart('daily', nowMs)).toBe(day);
  expect(periodStart('weekly', nowMs)).toBe(week);
  expect(periodStart('monthly', nowMs)).toBe(month);
  expect(periodStart(null, nowMs)).toBeUndefined();
});

test('ends a day at midnight, a week on Monday and a month on the first, in UTC, and a lifetime never', () => {
  const at = Date.parse('2026-12-31T23:59:59.999Z');
  expect(periodEnd('daily', at)).toBe('2027-01-01T00:00:00.000Z');
  expect(periodEnd('weekly', at)).toBe('2027-01-04T00:00:00.000Z');
  expect(periodEnd('monthly', at)).toBe('2027-01-01T00:00:00.000Z');
  expect(periodEnd('monthly', Date.parse('2028-02-29T00:00:00.000Z'))).toBe('2028-03-01T00:00:00.000Z');
  expect(periodEnd(null, at)).toBeNull();
});
