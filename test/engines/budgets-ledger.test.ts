import { describe, expect, test } from 'vitest';

import type { Budget } from '../../packages/core/src/limits/budgets.ts';
import { type BudgetedCall, type BudgetInstance, budgetOf, CENT, holdOf } from './support/budget-instance.ts';
import { openClosingInstance, openTwoInstances } from './support/budget-instances.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { eventually } from './support/eventually.ts';

const asking = (budget: Budget, cost = CENT, changes: Partial<BudgetedCall> = {}): BudgetedCall => ({
  budgets: [budget],
  worst: cost,
  cost,
  ...changes,
});

const spentOn = async ({ store }: BudgetInstance, key = 'k'): Promise<number> =>
  (await store.generations.spent({ principalId: key })).creditsNanoUsd;

describe.skipIf(missingPostgres)('A ledger of several instances', () => {
  test('asks the store seldom: calls pass without it', async () => {
    const statements: string[] = [];
    const { one } = await openTwoInstances({ onStatement: (name) => statements.push(name) });
    const budgets = [budgetOf(1e6 * CENT), budgetOf(1e6 * CENT, { spender: 'account', query: {} })];
    // Some at once, as each waits for the commit of its record, and slices are looked after by the second.
    for (let n = 0; n < 100; n += 1) {
      const made = await Promise.all(
        Array.from({ length: 10 }, () => one.call({ budgets, worst: CENT, cost: CENT / 4 })),
      );
      expect(made).not.toContain(false);
    }
    expect(statements.length).toBeLessThan(60);
    console.info(`${statements.length} statements about budgets for 1,000 calls, ten at once, with two budgets`);
  });

  test('lets a call pass at once that fits into the slice', async () => {
    const { one } = await openTwoInstances();
    await one.call(asking(budgetOf(1000 * CENT)));
    const hold = holdOf('gen-1-x', CENT);
    expect(one.ledger.reserve(hold, [budgetOf(1000 * CENT)])).toBeUndefined();
  });

  test('calls back what another instance does not need, before it refuses', async () => {
    const { one, other } = await openTwoInstances();
    expect(await one.call(asking(budgetOf(10 * CENT)))).toBe(true);
    expect(await other.call(asking(budgetOf(10 * CENT), 9 * CENT))).toBe(true);
    expect(await one.call(asking(budgetOf(10 * CENT), 1))).toBe(false);
  });

  test('refuses with what all instances have spent and hold', async () => {
    const refusals: unknown[] = [];
    const { one, other } = await openTwoInstances({ onRefusal: (error) => refusals.push(error) });
    const budget = budgetOf(10 * CENT, { resetsAt: '2026-12-01T00:00:00.000Z' });
    expect(await one.call(asking(budget, 3 * CENT))).toBe(true);
    await eventually(async () => expect(await spentOn(other)).toBe(3 * CENT));
    const during = async (): Promise<void> => {
      expect(await other.call(asking(budget, 6 * CENT))).toBe(false);
    };
    expect(await one.call(asking(budget, 2 * CENT, { during }))).toBe(true);
    expect(refusals).toEqual([
      expect.objectContaining({
        code: 'payment_required',
        metadata: {
          limit_usd: 0.1,
          spent_usd: 0.03,
          reserved_usd: 0.02,
          required_usd: 0.06,
          resets_at: '2026-12-01T00:00:00.000Z',
        },
      }),
    ]);
    await eventually(async () => expect(await spentOn(other)).toBe(5 * CENT));
    expect(await other.call(asking(budget, 5 * CENT))).toBe(true);
    await eventually(async () => expect(await spentOn(one)).toBe(10 * CENT));
    await eventually(async () => {
      refusals.length = 0;
      await one.call(asking(budget, 0));
      expect(String(refusals[0])).toContain('Key limit exceeded: $0.1 of $0.1 is spent; it resets at');
    });
  });

  test('a lower limit holds at once for a slice of a higher one, and a higher limit gives more', async () => {
    const { one } = await openTwoInstances();
    expect(await one.call(asking(budgetOf(100 * CENT)))).toBe(true);
    expect(await one.call(asking(budgetOf(CENT)))).toBe(false);
    expect(await one.call(asking(budgetOf(2 * CENT)))).toBe(true);
    expect(await one.call(asking(budgetOf(2 * CENT)))).toBe(false);
    expect(await one.call(asking(budgetOf(100 * CENT), 90 * CENT))).toBe(true);
  });

  test('lets a call pass only if it fits into every budget, and sets nothing aside otherwise', async () => {
    const { one, other } = await openTwoInstances();
    const account = budgetOf(10 * CENT, { spender: 'account', query: {}, refusal: 'Insufficient credits' });
    const small = budgetOf(2 * CENT);
    const both = [account, small];
    expect(await one.call({ budgets: both, worst: 3 * CENT, cost: 3 * CENT })).toBe(false);
    expect(await other.call({ budgets: [account], worst: 10 * CENT, cost: CENT, key: 'another' })).toBe(true);
    expect(await one.call({ budgets: both, worst: 2 * CENT, cost: 2 * CENT })).toBe(true);
    expect(await other.call({ budgets: both, worst: 1, cost: 1 })).toBe(false);
  });

  test('a call that costs nothing passes while anything is left, and not when all is spent', async () => {
    const { one, other } = await openTwoInstances();
    expect(await one.call(asking(budgetOf(0), 0))).toBe(false);
    expect(await one.call(asking(budgetOf(1), 0))).toBe(true);
    expect(await one.call(asking(budgetOf(CENT)))).toBe(true);
    await eventually(async () => expect(await spentOn(other)).toBe(CENT));
    expect(await other.call(asking(budgetOf(CENT), 0))).toBe(false);
    expect(await other.call(asking(budgetOf(CENT + 1), 0))).toBe(true);
  });

  test('what is paid to providers counts only where a budget includes it', async () => {
    const { one, other } = await openTwoInstances();
    const own = { isByok: true };
    const including = budgetOf(3 * CENT, { includesByok: true });
    expect(await one.call({ budgets: [budgetOf(0), including], worst: 2 * CENT, cost: 2 * CENT, ...own })).toBe(true);
    expect(await other.call({ budgets: [including], worst: 2 * CENT, cost: CENT })).toBe(false);
    expect(await other.call({ budgets: [including], worst: CENT, cost: CENT })).toBe(true);
    expect(await other.call({ budgets: [budgetOf(2 * CENT)], worst: CENT, cost: CENT })).toBe(true);
  });

  test('the fee for an own key counts for all budgets of all instances, and the bill where one includes it', async () => {
    const { one, other } = await openTwoInstances();
    const own = { isByok: true, worst: 11 * CENT, cost: 11 * CENT, fee: CENT };
    const including = budgetOf(30 * CENT, { includesByok: true });
    expect(await one.call({ budgets: [budgetOf(2 * CENT), including], ...own })).toBe(true);
    expect(await other.call({ budgets: [budgetOf(2 * CENT), including], ...own })).toBe(true);
    expect(await one.call({ budgets: [budgetOf(2 * CENT)], ...own })).toBe(false);
    expect(await other.call({ budgets: [including], ...own })).toBe(false);
    await eventually(async () =>
      expect(await other.store.generations.spent({ principalId: 'k' })).toEqual({
        creditsNanoUsd: 2 * CENT,
        byokNanoUsd: 20 * CENT,
      }),
    );
  });

  test('a new period begins with the whole limit', async () => {
    const { one } = await openTwoInstances();
    const today = new Date().toISOString().slice(0, 10);
    const before = budgetOf(CENT, { query: { principalId: 'k', since: '2026-01-01' } });
    expect(await one.call(asking(before))).toBe(true);
    expect(await one.call(asking(before))).toBe(false);
    const tomorrow = new Date(Date.parse(today) + 86_400_000).toISOString().slice(0, 10);
    await eventually(async () => {
      const next = budgetOf(CENT, { query: { principalId: 'k', since: tomorrow } });
      expect(await one.call(asking(next))).toBe(true);
    });
  });

  test('what a call has cost beyond its worst case, and what was lost, counts for all', async () => {
    const { one, other } = await openTwoInstances();
    expect(await one.call(asking(budgetOf(10 * CENT), CENT, { cost: 6 * CENT }))).toBe(true);
    one.ledger.keepLost(holdOf('gen-1-lost', 3 * CENT));
    await eventually(async () => {
      expect(await other.call(asking(budgetOf(10 * CENT), 2 * CENT))).toBe(false);
      expect(await spentOn(other)).toBe(6 * CENT);
    });
    expect(await other.call(asking(budgetOf(10 * CENT)))).toBe(true);
  });

  test('a call that was never made frees what was held for it at once', async () => {
    const { one, other } = await openTwoInstances();
    const hold = holdOf('gen-1-never', 10 * CENT);
    await one.ledger.reserve(hold, [budgetOf(10 * CENT)]);
    expect(one.ledger.heldNanoUsd()).toBe(10 * CENT);
    expect(await other.call(asking(budgetOf(10 * CENT)))).toBe(false);
    one.ledger.release('gen-1-never');
    await eventually(async () => expect(await other.call(asking(budgetOf(10 * CENT), 10 * CENT))).toBe(true));
  });

  test('calls of every kind on three instances together never spend more than a limit, and the sums are exact', async () => {
    const url = await openDatabase();
    const all = await Promise.all([1, 2, 3].map(() => openClosingInstance({ url })));
    const limits = { account: 400 * CENT, member: 150 * CENT, a: 60 * CENT, b: 120 * CENT };
    let spent = { account: 0, member: 0, a: 0, b: 0 };
    const make = async (n: number): Promise<void> => {
      const key = n % 3 === 0 ? 'a' : 'b';
      const user = n % 2 === 0 ? 'mo' : undefined;
      const cost = Math.round(CENT * ((n * 7919) % 97) * 0.01);
      const budgets = [
        budgetOf(limits.account, { spender: 'account', query: {} }),
        budgetOf(limits[key], { spender: `key ${key}`, query: { principalId: key } }),
        ...(user === undefined ? [] : [budgetOf(limits.member, { spender: 'member mo', query: { userId: 'mo' } })]),
      ];
      const isAdmitted = await all[n % 3]!.call({ budgets, worst: CENT, cost, key, ...(user && { user }) });
      if (!isAdmitted) return;
      spent = { ...spent, account: spent.account + cost, [key]: spent[key] + cost };
      if (user !== undefined) spent.member += cost;
    };
    for (let wave = 0; wave < 12; wave += 1) {
      await Promise.all(Array.from({ length: 60 }, (_, n) => make(wave * 60 + n)));
    }
    expect(spent.a).toBeLessThanOrEqual(limits.a);
    expect(spent.a).toBeGreaterThan(limits.a / 2);
    expect(spent.b).toBeLessThanOrEqual(limits.b);
    expect(spent.member).toBeLessThanOrEqual(limits.member);
    for (const { store } of all) {
      await eventually(async () => {
        const read = async (query: object) => (await store.generations.spent(query)).creditsNanoUsd;
        expect({
          account: await read({}),
          member: await read({ userId: 'mo' }),
          a: await read({ principalId: 'a' }),
          b: await read({ principalId: 'b' }),
        }).toEqual(spent);
      });
    }
  });
});
