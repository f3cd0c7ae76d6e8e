import type { BudgetSlices, SlicedBudget } from '@model-gateway/core';
import { createPostgresStore } from '@model-gateway/postgres';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createRandom } from './support/create-random.ts';
import { missingPostgres, openDatabase, openTestClient } from './support/engines.ts';
import type { PostgresClient } from './support/postgres-server.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const BUDGET: SlicedBudget = { kind: 'key', spenderId: 'k', since: null, includesByok: false };

async function openSlices(
  n: number,
  patienceMs = 0,
): Promise<{ readonly client: PostgresClient; readonly all: readonly BudgetSlices[] }> {
  const url = await openDatabase();
  const all: BudgetSlices[] = [];
  for (let index = 0; index < n; index += 1) {
    const store = await createPostgresStore({ url, budgets: { patienceMs } });
    onTestFinished(() => store.close());
    if (store.budgetSlices === undefined) throw new Error('The store divides no budgets');
    await store.budgetSlices.renew();
    all.push(store.budgetSlices);
  }
  return { client: await openTestClient(url), all };
}

const take = (slices: BudgetSlices, changes: Partial<Parameters<BudgetSlices['take']>[0]> = {}) =>
  slices.take({
    budget: BUDGET,
    limitNanoUsd: 1000,
    keepNanoUsd: 0,
    needNanoUsd: 10,
    wantNanoUsd: 10,
    recalls: false,
    ...changes,
  });

const spend = ({ run }: PostgresClient, id: string, nanoUsd: number, day = '2026-03-01') =>
  run(
    `insert into gateway.spending as s (kind, id, day, credits_nano) values ('key', '${id}', '${day}', ${nanoUsd})
     on conflict (kind, id, day) do update set credits_nano = s.credits_nano + excluded.credits_nano`,
  );

/** As if each had not renewed its slices for its whole life. */
const expireAll = ({ run }: PostgresClient) =>
  run(`update gateway.budget_instances set expires_at = clock_timestamp() - interval '1 second'`);

describe.skipIf(missingPostgres)('Slices of budgets in PostgreSQL', () => {
  test.each([1, 2, 3, 4])('no order of takes, returns, spending and deaths exceeds a limit (seed %i)', async (seed) => {
    const LIMIT = 1000;
    const random = createRandom(seed);
    const upTo = (most: number): number => Math.floor(random() * (most + 1));
    const { client, all } = await openSlices(3);
    const owned = all.map((slices) => ({ slices, has: 0 }));
    for (let step = 0; step < 150; step += 1) {
      const own = owned[upTo(2)];
      if (own === undefined) throw new Error('No such instance');
      const { slices } = own;
      switch (upTo(5)) {
        case 0:
        case 1: {
          const needNanoUsd = 1 + upTo(300);
          const keepNanoUsd = upTo(own.has);
          const wantNanoUsd = needNanoUsd + upTo(500);
          const granted = await take(slices, { needNanoUsd, keepNanoUsd, wantNanoUsd, recalls: random() < 0.5 });
          own.has = granted?.sliceNanoUsd ?? 0;
          break;
        }
        case 2: {
          const nanoUsd = upTo(own.has);
          own.has = (await slices.put([{ budget: BUDGET, nanoUsd }])) ? nanoUsd : 0;
          break;
        }
        case 3: {
          // Written by the store of the calls, and counted twice until the slice is smaller by it.
          const cost = upTo(own.has / 3);
          await spend(client, 'k', cost);
          own.has = (await slices.put([{ budget: BUDGET, nanoUsd: own.has - cost }])) ? own.has - cost : 0;
          break;
        }
        case 4:
          if (!(await slices.renew())) own.has = 0;
          break;
        default:
          if (random() < 0.2) await expireAll(client);
          // What it has may be another's by now, as it will learn.
          own.has = 0;
      }
      const [sums] =
        (await client.run(`select (select coalesce(sum(credits_nano), 0) from gateway.spending where kind = 'key' and id = 'k')::int as spent,
             (select coalesce(sum(amount_nano), 0) from gateway.budget_slices)::int as sliced`)) as {
          spent: number;
          sliced: number;
        }[];
      expect(sums!.spent + sums!.sliced, `step ${step}`).toBeLessThanOrEqual(LIMIT);
      expect(own.has, `step ${step}`).toBeLessThanOrEqual(sums!.sliced);
    }
  });

  test('what is left is granted to one of many that ask at the same moment', async () => {
    const { all } = await openSlices(4);
    for (let round = 0; round < 20; round += 1) {
      const budget = { ...BUDGET, spenderId: `k${round}` };
      const grants = await Promise.all(
        all.map((slices) => take(slices, { budget, needNanoUsd: 700, wantNanoUsd: 900 })),
      );
      expect(grants.filter((grant) => grant !== null && grant.sliceNanoUsd > 0)).toHaveLength(1);
    }
  });

  test('a slice is no more than a fair share of what is left, in whole calls', async () => {
    const { all } = await openSlices(4);
    const [first, second] = all;
    expect(await take(first!, { needNanoUsd: 100, wantNanoUsd: 5000 })).toMatchObject({ sliceNanoUsd: 200 });
    expect(await take(second!, { needNanoUsd: 100, wantNanoUsd: 150 })).toMatchObject({ sliceNanoUsd: 150 });
    expect(await take(second!, { keepNanoUsd: 150, needNanoUsd: 650, wantNanoUsd: 650 })).toEqual({
      sliceNanoUsd: 800,
      spentNanoUsd: 0,
      heldElsewhereNanoUsd: 200,
      availableNanoUsd: 650,
      recalledFrom: 0,
    });
  });

  test('what is kept stays in a slice, though it exceeds the limit', async () => {
    const [one, other] = (await openSlices(2)).all;
    expect(await take(one!, { keepNanoUsd: 1500 })).toMatchObject({ sliceNanoUsd: 1500, availableNanoUsd: -500 });
    expect(await take(other!)).toMatchObject({ sliceNanoUsd: 0, heldElsewhereNanoUsd: 1500 });
  });

  test('counts the days of a period alone, and what is paid to providers where it is included', async () => {
    const { client, all } = await openSlices(1);
    // Days that are older than generations are kept are added up by a store that has just been opened.
    const dayAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
    const day = dayAgo(1);
    await spend(client, 'k', 300, dayAgo(2));
    await spend(client, 'k', 500, day);
    await client.run(`update gateway.spending set byok_nano = 50`);
    const spentOf = async (budget: Partial<SlicedBudget>) =>
      (await take(all[0]!, { budget: { ...BUDGET, ...budget } }))?.spentNanoUsd;
    expect(await spentOf({})).toBe(800);
    expect(await spentOf({ since: day })).toBe(500);
    expect(await spentOf({ since: day, includesByok: true })).toBe(550);
    expect(await spentOf({ kind: 'member' })).toBe(0);
  });

  test('a write that comes late has no effect', async () => {
    const { client, all } = await openSlices(1);
    const [instance] = (await client.run('select id from gateway.budget_instances')) as { id: string }[];
    await take(all[0]!, { wantNanoUsd: 100 });
    await take(all[0]!, { keepNanoUsd: 100, wantNanoUsd: 200 });
    const late = `select slice_nano from gateway.take_budget_slice('${instance!.id}', 1, 'key', 'k', '', false, 1000, 0, 10, 10, false)`;
    expect(await client.run(late)).toEqual([{ slice_nano: null }]);
    expect(await client.run('select amount_nano::int from gateway.budget_slices')).toEqual([{ amount_nano: 300 }]);
  });

  test('the slices of an instance that is dead belong to the others, and it learns that they are not its own', async () => {
    const { client, all } = await openSlices(2);
    const [one, other] = all;
    await take(one!, { needNanoUsd: 800, wantNanoUsd: 800 });
    expect(await take(other!, { needNanoUsd: 900, recalls: true })).toMatchObject({ sliceNanoUsd: 0 });
    await expireAll(client);
    await other!.renew();
    expect(await take(other!, { needNanoUsd: 900, wantNanoUsd: 900 })).toMatchObject({ sliceNanoUsd: 900 });
    expect(await take(one!)).toBeNull();
    expect(await one!.put([{ budget: BUDGET, nanoUsd: 1 }])).toBe(false);
    expect(await one!.renew()).toBe(false);
    expect(await take(one!, { needNanoUsd: 200 })).toMatchObject({ sliceNanoUsd: 0, heldElsewhereNanoUsd: 900 });
  });

  test('after an outage for all, an instance that comes back first leaves the others what they have', async () => {
    const { client, all } = await openSlices(2, 60_000);
    const [one, other] = all;
    await take(one!, { needNanoUsd: 800, wantNanoUsd: 800 });
    await expireAll(client);
    expect(await other!.renew()).toBe(true);
    expect(await take(other!, { needNanoUsd: 900, wantNanoUsd: 900, recalls: true })).toMatchObject({
      sliceNanoUsd: 0,
      heldElsewhereNanoUsd: 800,
    });
    expect(await one!.renew()).toBe(true);
    expect(await take(one!, { keepNanoUsd: 800, wantNanoUsd: 100 })).toMatchObject({ sliceNanoUsd: 900 });
  });
});
