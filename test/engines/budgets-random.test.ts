import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

import { type BudgetSlices, createWebPlatform } from '@model-gateway/core';
import { describe, expect, onTestFinished, test } from 'vitest';

import type { Budget } from '../../packages/core/src/limits/budgets.ts';
import { type BudgetInstance, budgetOf, nextGenerationId, openBudgetInstance } from './support/budget-instance.ts';
import { createRandom } from './support/create-random.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { runStatement } from './support/postgres-server.ts';

const STEPS = Number(process.env['BUDGET_STEPS'] ?? 1500);
const AT_ONCE = 24;
const LIMITS = { account: 1_000_000, a: 300_000, b: 500_000, mo: 400_001 };
const LARGEST_WORST = 100_000;

type Spender = keyof typeof LIMITS;

/** What has been spent and is held, as the test knows it, for every budget. */
function createAccounts() {
  const sums: Record<Spender, number> = { account: 0, a: 0, b: 0, mo: 0 };
  return {
    sums,
    add(spenders: readonly Spender[], amount: number): void {
      for (const spender of spenders) sums[spender] += amount;
    },
  };
}

const toBudget = (spender: Spender, share: number): Budget => {
  const limit = Math.ceil(LIMITS[spender] * share);
  switch (spender) {
    case 'account':
      return budgetOf(limit, { spender: 'account', query: {} });
    case 'mo':
      return budgetOf(limit, { spender: 'member mo', query: { userId: 'mo' } });
    default:
      return budgetOf(limit, { spender: `key ${spender}`, query: { principalId: spender } });
  }
};

/** A network that delays, and loses questions and responses. Says what the database itself has refused. */
function createBadNetwork(random: () => number) {
  const refused: unknown[] = [];
  const state = { isBad: true };
  const through =
    <Values extends readonly unknown[], Result>(work: (...values: Values) => Promise<Result>) =>
    async (...values: Values): Promise<Result> => {
      const fate = state.isBad ? random() : 1;
      if (fate < 0.02) throw new Error('The question was lost');
      if (fate < 0.15) await wait(fate * 100);
      let result: Result;
      try {
        result = await work(...values);
      } catch (error) {
        refused.push(error);
        throw error;
      }
      if (fate > 0.15 && fate < 0.18) throw new Error('The response was lost');
      if (fate > 0.18 && fate < 0.3) await wait(fate * 50);
      return result;
    };
  const throughSlices = (slices: BudgetSlices): BudgetSlices => ({
    ...slices,
    renew: through(slices.renew),
    take: through(slices.take),
    put: through(slices.put),
    giveBack: through(slices.giveBack),
  });
  return { state, refused, throughSlices };
}

describe.skipIf(missingPostgres)('Budgets under random calls on three instances with a bad network', () => {
  const first = Number(process.env['BUDGET_SEED'] ?? 1);
  test.each([first, first + 1, first + 2])('never overspend, and lose nothing (seed %i)', async (seed) => {
    const random = createRandom(seed);
    const upTo = (most: number): number => Math.floor(random() * (most + 1));
    const network = createBadNetwork(random);
    const web = createWebPlatform();
    let skewMs = 0;
    const platform = { ...web, monotonicNow: () => web.monotonicNow() + skewMs };
    const url = await openDatabase();
    const instances: BudgetInstance[] = [];
    for (let n = 0; n < 3; n += 1) {
      const instance = await openBudgetInstance({ url, platform, throughSlices: network.throughSlices });
      instances.push(instance);
      onTestFinished(() => instance.close());
    }
    const accounts = createAccounts();
    const outcomes = { admitted: 0, refused: 0 };
    const admit = (step: number, spenders: readonly Spender[], worst: number): void => {
      outcomes.admitted += 1;
      accounts.add(spenders, worst);
      for (const spender of spenders) {
        expect(accounts.sums[spender], `${spender} in step ${step}`).toBeLessThanOrEqual(LIMITS[spender]);
      }
    };

    const makeCall = async (step: number): Promise<void> => {
      const instance = instances[upTo(2)]!;
      const key = random() < 0.5 ? 'a' : 'b';
      const user = random() < 0.4 ? 'mo' : undefined;
      const spenders: Spender[] = ['account', key, ...(user === undefined ? [] : (['mo'] as const))];
      const share = random() < 0.1 ? 0.7 : 1;
      const budgets = spenders.map((spender) => toBudget(spender, share));
      const worst = random() < 0.1 ? 0 : upTo(random() < 0.2 ? LARGEST_WORST : LARGEST_WORST / 20);
      const cost = random() < 0.5 ? 0 : upTo(Math.min(worst, 700));
      const forMs = upTo(30);
      if (random() < 0.8) {
        const during = async (): Promise<void> => {
          admit(step, spenders, worst);
          await wait(forMs);
          accounts.add(spenders, cost - worst);
        };
        const isAdmitted = await instance.call({ budgets, worst, cost, key, ...(user && { user }), during });
        if (!isAdmitted) outcomes.refused += 1;
        return;
      }
      // Its client leaves, sometimes while a further turn waits for its budgets.
      const id = nextGenerationId();
      const names = budgets.map(({ spender }) => spender);
      const hold = { id, spenders: names, creditsNanoUsd: worst, anyNanoUsd: worst };
      try {
        await instance.ledger.reserve(hold, budgets);
      } catch {
        outcomes.refused += 1;
        return;
      }
      admit(step, spenders, worst);
      const further = (async () => instance.ledger.reserve(hold, budgets))();
      const turn = further.then(
        () => undefined,
        () => undefined,
      );
      if (random() < 0.5) await turn;
      accounts.add(spenders, -worst);
      instance.ledger.release(id);
      await turn;
    };

    const running = new Set<Promise<void>>();
    for (let step = 0; step < STEPS; step += 1) {
      skewMs += upTo(60);
      const call = makeCall(step).finally(() => running.delete(call));
      running.add(call);
      if (running.size >= AT_ONCE) await Promise.race(running);
    }
    await Promise.all(running);
    network.state.isBad = false;

    const left = `select (select coalesce(sum(amount_nano), 0) from gateway.budget_slices)::int as sliced`;
    for (const { ledger } of instances) await eventually(() => expect(ledger.heldNanoUsd()).toBe(0));
    // A slice with room for a minute of small calls is kept for 65 s, all others for 5.
    skewMs += 70_000;
    await eventually(async () => expect(await runStatement(url, left)).toEqual([{ sliced: 0 }]));
    for (const [spender, query] of [
      ['account', {}],
      ['a', { principalId: 'a' }],
      ['b', { principalId: 'b' }],
      ['mo', { userId: 'mo' }],
    ] as const) {
      expect((await instances[0]!.store.generations.spent(query)).creditsNanoUsd).toBe(accounts.sums[spender]);
    }
    // All that is left can be used, by any of them.
    const rest = LIMITS.account - accounts.sums.account;
    const hold = { id: 'gen-1-rest', spenders: ['account'], creditsNanoUsd: rest, anyNanoUsd: rest };
    await instances[1]!.ledger.reserve(hold, [toBudget('account', 1)]);
    expect(network.refused).toEqual([]);
    console.info(`seed ${seed}: ${STEPS} calls, ${JSON.stringify(outcomes)}, spent ${JSON.stringify(accounts.sums)}`);
  });
});
