import fc from 'fast-check';
import { expect, test } from 'vitest';

import { budgetOfEffort, effortOfBudget, toReasoningBudget } from './reasoning-effort.ts';

const EFFORTS = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

test.each([
  ['minimal', 20_000, 2000],
  ['low', 20_000, 4000],
  ['medium', 20_000, 10_000],
  ['high', 20_000, 16_000],
  ['xhigh', 20_000, 19_000],
  ['max', 20_000, 19_000],
  ['minimal', 2000, 1024],
  ['high', 1_000_000, 128_000],
] as const)('takes %s of %i tokens for a budget of %i', (effort, maxTokens, budget) => {
  expect(budgetOfEffort(effort, maxTokens)).toBe(budget);
});

test.each([
  [1000, 'minimal'],
  [1001, 'low'],
  [5000, 'medium'],
  [5001, 'high'],
  [8000, 'high'],
  [8001, 'xhigh'],
  [20_000, 'xhigh'],
] as const)('takes a budget of %i in 10000 tokens for %s', (budget, effort) => {
  expect(effortOfBudget(budget, 10_000)).toBe(effort);
});

test('the budget of an effort is taken for that effort, and more effort is never less budget', () => {
  // Within these limits neither the least nor the most of a budget comes into it.
  fc.assert(
    fc.property(fc.integer({ min: 10_240, max: 130_000 }), (maxTokens) => {
      const budgets = EFFORTS.map((effort) => budgetOfEffort(effort, maxTokens));
      expect(budgets).toEqual(budgets.toSorted((a, b) => a - b));
      const back = budgets.map((budget) => effortOfBudget(budget, maxTokens));
      expect(back).toEqual([...EFFORTS.slice(0, 5), 'xhigh']);
    }),
  );
});

test('a budget is a whole number of at least 1024 and at most 128000 tokens', () => {
  expect([0, 1024.9, 5000.5, 1e9].map(toReasoningBudget)).toEqual([1024, 1024, 5000, 128_000]);
});
