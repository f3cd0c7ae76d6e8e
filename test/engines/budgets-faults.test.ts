import type { BudgetSlices } from '@model-gateway/core';
import { describe, expect, onTestFinished, test } from 'vitest';

import {
  type BudgetInstance,
  type BudgetInstanceOptions,
  budgetOf,
  CENT,
  openBudgetInstance,
  SLOW_RECALL,
} from './support/budget-instance.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { runStatement } from './support/postgres-server.ts';

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
    await expect(Promise.resolve().then(() => one.ledger.reserve(holdOf('e', 3 * CENT), budgets))).rejects.toThrow(
      'cannot be checked',
    );
    const held = one.ledger.heldNanoUsd() + other.ledger.heldNanoUsd();
    expect(held).toBe(100 * CENT);
  });

  test('a call that ends while a further turn waits for the database leaves nothing held', async () => {
    const url = await openDatabase();
    let letGo = (): void => undefined;
    let isWaiting = false;
    const waiting = (slices: BudgetSlices): BudgetSlices => ({
      ...slices,
      async take(request) {
        if (request.needNanoUsd === 10 * CENT) {
          isWaiting = true;
          await new Promise<void>((resolve) => (letGo = resolve));
        }
        return slices.take(request);
      },
    });
    const { ledger } = await open(url, { throughSlices: waiting });
    const budgets = [budgetOf(100 * CENT)];
    await ledger.reserve(holdOf('call', CENT), budgets);
    const further = Promise.resolve(ledger.reserve(holdOf('call', 10 * CENT), budgets));
    await eventually(() => expect(isWaiting).toBe(true));
    ledger.release('gen-1-call');
    letGo();
    await expect(further).rejects.toMatchObject({ code: 'client_closed_request' });
    expect(ledger.heldNanoUsd()).toBe(0);
    // What was granted for it is there for the next.
    expect(ledger.reserve(holdOf('next', 10 * CENT), budgets)).toBeUndefined();
  });

  test('a call that comes just as the last one has been let in is attended to', async () => {
    const url = await openDatabase();
    let onGranted = (): void => undefined;
    const telling = (slices: BudgetSlices): BudgetSlices => ({
      ...slices,
      async take(request) {
        const granted = await slices.take(request);
        // One that grows in advance is nobody's call.
        if (request.recalls) onGranted();
        return granted;
      },
    });
    const { ledger } = await open(url, { throughSlices: telling });
    // So many turns of the promises after the grant.
    for (let turns = 0; turns < 25; turns += 1) {
      const key = `k${turns}`;
      const budgets = [budgetOf(10 * CENT, { spender: `key ${key}`, query: { principalId: key } })];
      const second = new Promise<void>((resolve, reject) => {
        const reserve = async (): Promise<void> => {
          for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
          await ledger.reserve(holdOf(`second-${key}`, 9 * CENT, key), budgets);
        };
        onGranted = () => {
          onGranted = () => undefined;
          reserve().then(resolve, reject);
        };
      });
      await ledger.reserve(holdOf(`first-${key}`, CENT, key), budgets);
      await second;
    }
    expect(ledger.heldNanoUsd()).toBe(250 * CENT);
  });

  test('a limit that is as good as none lets calls pass, and a call of any size is refused by its own budget alone', async () => {
    const { ledger } = await open(await openDatabase());
    for (const limit of [1e16, 1e19, 1e21, 1e27]) {
      await ledger.reserve(holdOf(`limit-${limit}`, CENT, `k${limit}`), [
        budgetOf(limit, { spender: `key k${limit}`, query: { principalId: `k${limit}` } }),
      ]);
    }
    const isRefused = { code: 'payment_required' };
    for (const amount of [1e16, 1e19, 1e21, 1e27]) {
      await expect(
        Promise.resolve().then(() => ledger.reserve(holdOf(`call-${amount}`, amount), [budgetOf(CENT)])),
      ).rejects.toMatchObject(isRefused);
    }
    await ledger.reserve(holdOf('small', CENT, 'another'), [
      budgetOf(CENT, { spender: 'key another', query: { principalId: 'another' } }),
    ]);
  });

  test.each(['DOMAIN\\user', 'half \uD83D a pair', 'with "quotes"', 'NUL\0'])(
    'calls back what another instance does not need of the budget of %j',
    async (id) => {
      const url = await openDatabase();
      const [one, other] = [await open(url, SLOW_RECALL), await open(url, SLOW_RECALL)];
      const budgets = [budgetOf(10 * CENT, { spender: `key ${id}`, query: { principalId: id } })];
      const hold = holdOf('first', CENT, id);
      await one.ledger.reserve(hold, budgets);
      one.ledger.release(hold.id);
      await other.ledger.reserve(holdOf('second', 9 * CENT, id), budgets);
      expect(other.ledger.heldNanoUsd()).toBe(9 * CENT);
    },
  );

  test('goes on hearing after a notification that means nothing', async () => {
    const url = await openDatabase();
    const [one, other] = [await open(url, SLOW_RECALL), await open(url, SLOW_RECALL)];
    const budgets = [budgetOf(10 * CENT)];
    await one.ledger.reserve(holdOf('first', CENT), budgets);
    for (const channel of ['gateway_budget_recall', 'gateway_budget_return', 'gateway_tables']) {
      for (const payload of ['', 'garbage', 'null', '7', '{"kind":1}']) {
        await runStatement(url, `select pg_notify('${channel}', '${payload}')`);
      }
    }
    one.ledger.release('gen-1-first');
    await other.ledger.reserve(holdOf('second', 10 * CENT), budgets);
    expect(other.ledger.heldNanoUsd()).toBe(10 * CENT);
  });
});
