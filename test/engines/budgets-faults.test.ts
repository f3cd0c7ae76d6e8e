import type { BudgetSlices } from '@model-gateway/core';
import { describe, expect, onTestFinished, test } from 'vitest';

import {
  type BudgetInstance,
  type BudgetInstanceOptions,
  budgetOf,
  CENT,
  openBudgetInstance,
} from './support/budget-instance.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';

async function open(url: string, options: Partial<BudgetInstanceOptions> = {}): Promise<BudgetInstance> {
  const instance = await openBudgetInstance({ ...options, url });
  onTestFinished(() => instance.close());
  return instance;
}

const holdOf = (id: string, amount: number, key = 'k') => ({
  id: `gen-1-${id}`,
  spenders: [`key ${key}`],
  creditsNanoUsd: amount,
  anyNanoUsd: amount,
});

describe.skipIf(missingPostgres)('Budgets of several instances', () => {
  test('what the database has given back stays given back, though its response is lost', async () => {
    const url = await openDatabase();
    let isLossy = false;
    const losingTakes = (slices: BudgetSlices): BudgetSlices => ({
      ...slices,
      async take(request) {
        const granted = await slices.take(request);
        if (isLossy) throw new Error('The connection was lost');
        return granted;
      },
    });
    const one = await open(url, { throughSlices: losingTakes });
    const other = await open(url);
    const budgets = [budgetOf(100 * CENT)];
    // A slice for four calls, of which three are free.
    await one.ledger.reserve(holdOf('a', CENT), budgets);
    await other.ledger.reserve(holdOf('b', 96 * CENT), budgets);
    isLossy = true;
    await expect(one.ledger.reserve(holdOf('c', 10 * CENT), budgets)).rejects.toThrow('cannot be checked');
    isLossy = false;
    await other.ledger.reserve(holdOf('d', 3 * CENT), budgets);
    await expect(Promise.resolve().then(() => one.ledger.reserve(holdOf('e', 3 * CENT), budgets))).rejects.toThrow();
    const held = one.ledger.heldNanoUsd() + other.ledger.heldNanoUsd();
    expect(held).toBe(100 * CENT);
  });
});
