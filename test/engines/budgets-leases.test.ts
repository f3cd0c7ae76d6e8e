import { describe, expect, test } from 'vitest';

import { budgetOf, CENT, holdOf } from './support/budget-instance.ts';
import { createSkewedPlatform, openClosingInstance, openTwoInstances } from './support/budget-instances.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { runStatement } from './support/postgres-server.ts';

describe.skipIf(missingPostgres)('What a ledger leases of budgets', () => {
  test('returns what has not been used lately in whole nano-dollars, as the store holds no others', async () => {
    const { one, url } = await openTwoInstances();
    // A wide one would lease a minute of use.
    const budgets = [budgetOf(100 * CENT)];
    const leased = async (): Promise<number> => {
      const [row] = await runStatement(url, 'select amount_nano::float8 as amount from gateway.budget_slices');
      return (row as { amount: number }).amount;
    };
    await one.ledger.reserve(holdOf('gen-1-large', CENT + 1), budgets);
    expect(await leased()).toBe(4 * (CENT + 1));
    one.ledger.release('gen-1-large', { creditsNanoUsd: 0, anyNanoUsd: 0 });
    await one.ledger.reserve(holdOf('gen-1-small', 1), budgets);
    await eventually(async () => expect(await leased()).toBeLessThan(4 * CENT));
    expect(await leased()).toBeGreaterThan(1);
  });

  test('a grant that is read after the lease is over is asked for again', async () => {
    const statements: string[] = [];
    const { platform, skip } = createSkewedPlatform();
    const { ledger } = await openClosingInstance({
      url: await openDatabase(),
      platform,
      onStatement(name) {
        statements.push(name);
        // As if the process were paused before it reads the first grant.
        if (statements.length === 2) skip(80_000);
      },
    });
    await ledger.reserve(holdOf('gen-1-late', CENT), [budgetOf(1000 * CENT)]);
    expect(statements).toEqual(['renew', 'take', 'renew', 'take']);
  });

  test('a slice that nobody uses is returned by itself, and all of them at the end', async () => {
    const { platform, skip } = createSkewedPlatform();
    const call = { budgets: [budgetOf(100 * CENT)], worst: CENT, cost: CENT };
    const { url, one, other } = await openTwoInstances({ platform });
    const read = async () =>
      (await runStatement(url, 'select amount_nano::int as amount from gateway.budget_slices')) as { amount: number }[];
    await one.call(call);
    expect((await read())[0]?.amount).toBeGreaterThan(CENT);
    skip(6000);
    await eventually(async () => expect(await read()).toEqual([{ amount: 0 }]));
    await other.call(call);
    await other.ledger.close();
    expect(await read()).toEqual([{ amount: 0 }, { amount: 0 }]);
  });
});
