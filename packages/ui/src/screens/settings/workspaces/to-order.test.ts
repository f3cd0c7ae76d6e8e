import { expect, test } from 'vitest';

import { type Budgets, type Interval, INTERVALS, toOrder } from './workspace-queries.ts';

const NONE: Budgets = { daily: null, weekly: null, monthly: null, lifetime: null, includesByok: false };

/** What the gateway refuses. */
function isAllowed(budgets: Readonly<Record<Interval, number | null>>): boolean {
  const limits = INTERVALS.flatMap((interval) => budgets[interval] ?? []);
  return limits.every((limit, at) => at === 0 || (limits[at - 1] ?? 0) < limit);
}

test('budgets are changed in an order in which the gateway takes each of them', () => {
  const all: Budgets[] = [];
  const limits = [null, 1, 2, 3, 4];
  for (const daily of limits) {
    for (const weekly of limits) {
      for (const monthly of limits) all.push({ ...NONE, daily, weekly, monthly });
    }
  }
  const allowed = all.filter(isAllowed);
  expect(allowed.length).toBeGreaterThan(20);
  for (const before of allowed) {
    for (const after of allowed) {
      const present: Record<Interval, number | null> = { ...before };
      for (const interval of toOrder(before, after)) {
        present[interval] = after[interval];
        expect(isAllowed(present), JSON.stringify({ before, after, present })).toBe(true);
      }
      expect(present).toMatchObject({ daily: after.daily, weekly: after.weekly, monthly: after.monthly });
    }
  }
});

test('what counts in budgets is changed for those that stand', () => {
  const before = { ...NONE, monthly: 5 };
  expect(toOrder(before, before)).toEqual([]);
  expect(toOrder(before, { ...before, includesByok: true })).toEqual(['monthly']);
});
