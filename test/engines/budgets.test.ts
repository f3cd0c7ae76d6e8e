import { describe, expect, onTestFinished, test, vi } from 'vitest';

import {
  type BudgetInstance,
  type BudgetInstanceOptions,
  budgetOf,
  CENT,
  openBudgetInstance,
} from './support/budget-instance.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';

const range = (n: number): readonly number[] => Array.from({ length: n }, (_, index) => index);

async function openInstances(
  n: number,
  options: Partial<BudgetInstanceOptions> = {},
): Promise<{ readonly url: string; readonly all: readonly BudgetInstance[] }> {
  const url = options.url ?? (await openDatabase());
  const all: BudgetInstance[] = [];
  onTestFinished(async () => {
    await Promise.all(all.map((instance) => instance.close()));
  });
  for (const _ of range(n)) all.push(await openBudgetInstance({ ...options, url }));
  return { url, all };
}

/** Calls in parallel, spread over all instances. Resolves with how many were admitted. */
async function race(all: readonly BudgetInstance[], n: number, call: Parameters<BudgetInstance['call']>[0]) {
  const admitted = await Promise.all(range(n).map(async (index) => all[index % all.length]?.call(call)));
  return admitted.filter((isAdmitted) => isAdmitted === true).length;
}

describe.skipIf(missingPostgres)('Budgets over several instances', () => {
  test('of 200 parallel calls on four instances exactly those pass that there is room for, round after round', async () => {
    const { all } = await openInstances(4);
    const counts: number[] = [];
    for (const round of range(100)) {
      const key = `k${round}`;
      const budget = budgetOf(10.5 * CENT, { spender: `key ${key}`, query: { principalId: key } });
      counts.push(await race(all, 200, { budgets: [budget], worst: CENT, cost: CENT, key }));
      await vi.waitFor(async () => {
        const { creditsNanoUsd } = await all[0]!.store.generations.spent({ principalId: key });
        expect(creditsNanoUsd).toBe(counts.at(-1)! * CENT);
      });
    }
    expect(counts).toEqual(range(100).map(() => 10));
  }, 120_000);
});
