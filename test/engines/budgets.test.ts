import { describe, expect, test } from 'vitest';

import { type BudgetInstance, budgetOf, CENT } from './support/budget-instance.ts';
import { openClosingInstance } from './support/budget-instances.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { eventually } from './support/eventually.ts';

const range = (n: number): readonly number[] => Array.from({ length: n }, (_, index) => index);

/** Calls in parallel, spread over all instances. Resolves with how many were admitted. */
async function race(all: readonly BudgetInstance[], n: number, call: Parameters<BudgetInstance['call']>[0]) {
  const admitted = await Promise.all(range(n).map(async (index) => all[index % all.length]?.call(call)));
  return admitted.filter((isAdmitted) => isAdmitted === true).length;
}

describe.skipIf(missingPostgres)('Budgets over several instances', () => {
  test('of 200 parallel calls on four instances exactly those pass that there is room for, round after round', async () => {
    const url = await openDatabase();
    const all = await Promise.all(range(4).map(() => openClosingInstance({ url })));
    const counts: number[] = [];
    for (const round of range(100)) {
      const key = `k${round}`;
      const budget = budgetOf(10.5 * CENT, { spender: `key ${key}`, query: { principalId: key } });
      counts.push(await race(all, 200, { budgets: [budget], worst: CENT, cost: CENT, key }));
      await eventually(async () => {
        const { creditsNanoUsd } = await all[0]!.store.generations.spent({ principalId: key });
        expect(creditsNanoUsd).toBe(counts.at(-1)! * CENT);
      });
    }
    expect(counts).toEqual(range(100).map(() => 10));
  });
});
