import type { GenerationRecord, SpendingSum, Spent, SpentQuery, Store } from '@model-gateway/core';

import { expectEqual, expectMatch } from '../contract-case.ts';
import { toRecord } from '../rows.ts';
import { durableStoreCase, ODD_NAMES, storeCase, type StoreCase } from './store-case.ts';

const toSum = (
  kind: SpendingSum['kind'],
  id: string,
  day: string,
  creditsNanoUsd: number,
  byokNanoUsd = 0,
): SpendingSum => ({ kind, id, day, creditsNanoUsd, byokNanoUsd });

/** Two keys of a member, one of them in a workspace. */
const FIRST: readonly SpendingSum[] = [
  toSum('account', '', '', 1_000),
  toSum('account', '', '2026-03-01', 21, 300),
  toSum('key', 'key-1', '', 1_000),
  toSum('key', 'key-1', '2026-03-01', 1, 300),
  toSum('key', 'key-2', '2026-03-01', 20),
  toSum('member', 'mo', '', 1_000),
  toSum('member', 'mo', '2026-03-01', 21, 300),
  toSum('workspace', 'w1', '2026-03-01', 20),
];

const appendOwn = (store: Store): Promise<void> =>
  store.generations.append(
    toRecord('own', {
      costNanoUsd: 7,
      principalId: 'key-1',
      userId: 'mo',
      generation: { created_at: '2026-03-02T00:00:00.000Z' },
    }),
    null,
  );
const toSpent = (creditsNanoUsd: number, byokNanoUsd = 0): Spent => ({ creditsNanoUsd, byokNanoUsd });
const inOrder = (sums: Iterable<SpendingSum>): readonly SpendingSum[] => {
  const keyOf = ({ kind, id, day }: SpendingSum): string => JSON.stringify([kind, id, day]);
  return [...sums].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
};
const expectSums = async (store: Store, exceptFrom: string | undefined, sums: readonly SpendingSum[]) =>
  expectEqual(inOrder(await store.generations.listSpending(exceptFrom)), inOrder(sums));

/** What was spent elsewhere, and moved here. */
export const carriedSpendingCases: readonly StoreCase[] = [
  storeCase(
    'A store counts what was carried from another one beside its own, for each spender and day',
    async (store) => {
      await appendOwn(store);
      await store.generations.carrySpending('a', FIRST);
      const { spent, spentNanoUsd } = store.generations;
      expectEqual(await spent({}), toSpent(1_028, 300));
      expectEqual(await spent({ since: '2026-03-01' }), toSpent(28, 300));
      expectEqual(await spent({ since: '2026-03-02' }), toSpent(7));
      expectEqual(await spent({ principalId: 'key-1' }), toSpent(1_008, 300));
      expectEqual(await spent({ principalId: 'key-2', since: '2026-03-01' }), toSpent(20));
      expectEqual(await spent({ userId: 'mo' }), toSpent(1_028, 300));
      expectEqual(await spent({ workspaceId: 'w1' }), toSpent(20));
      expectEqual(await spentNanoUsd('key-1'), 1_308);
    },
  ),

  storeCase('A store puts what is carried from a source in the place of what came from there before', async (store) => {
    await appendOwn(store);
    await store.generations.carrySpending('a', FIRST);
    await store.generations.carrySpending('b', [toSum('account', '', '2026-03-01', 5), toSum('key', 'key-1', '', 5)]);
    await store.generations.carrySpending('a', FIRST);
    expectEqual(await store.generations.spent({}), toSpent(1_033, 300));
    await store.generations.carrySpending('a', [toSum('account', '', '2026-03-02', -4), toSum('key', 'key-1', '', 2)]);
    expectEqual(await store.generations.spent({}), toSpent(8));
    expectEqual(await store.generations.spent({ since: '2026-03-02' }), toSpent(3));
    expectEqual(await store.generations.spentNanoUsd('key-1'), 14);
    expectEqual(await store.generations.spent({ userId: 'mo' }), toSpent(7));
    await store.generations.carrySpending('a', []);
    expectEqual(await store.generations.spent({}), toSpent(12));
  }),

  storeCase('A store lists what was spent, all of it or without what came from one source', async (store) => {
    await appendOwn(store);
    const own = [
      toSum('account', '', '2026-03-02', 7),
      toSum('key', 'key-1', '2026-03-02', 7),
      toSum('member', 'mo', '2026-03-02', 7),
    ];
    await expectSums(store, undefined, own);
    await store.generations.carrySpending('a', FIRST);
    const other = [toSum('account', '', '2026-03-03', 5), toSum('workspace', 'w1', '2026-03-01', 5)];
    await store.generations.carrySpending('b', other);
    await expectSums(store, 'b', [...own, ...FIRST]);
    await expectSums(store, 'a', [...own, ...other]);
    await expectSums(store, 'nobody', [
      ...own,
      ...FIRST.filter(({ kind }) => kind !== 'workspace'),
      toSum('account', '', '2026-03-03', 5),
      toSum('workspace', 'w1', '2026-03-01', 25),
    ]);
  }),

  durableStoreCase('A store has what was carried from others after it was opened again', async (store, reopen) => {
    await appendOwn(store);
    await store.generations.carrySpending('a', FIRST);
    await store.generations.carrySpending('b', FIRST);
    for (let round = 0; round < 2; round += 1) {
      store = await reopen();
      await store.generations.carrySpending('b', [toSum('account', '', '2026-03-01', 5)]);
      expectEqual(await store.generations.spent({}), toSpent(1_033, 300));
      expectEqual(await store.generations.spent({ workspaceId: 'w1' }), toSpent(20));
      await expectSums(store, 'a', [
        toSum('account', '', '2026-03-01', 5),
        toSum('account', '', '2026-03-02', 7),
        toSum('key', 'key-1', '2026-03-02', 7),
        toSum('member', 'mo', '2026-03-02', 7),
      ]);
    }
  }),

  durableStoreCase('A store tells odd spenders and sources apart that were carried', async (store, reopen) => {
    for (const name of ODD_NAMES) {
      await store.generations.carrySpending(name, [toSum('key', name, '', 3), toSum('member', name, '2026-03-01', 4)]);
    }
    store = await reopen();
    for (const name of ODD_NAMES) {
      expectEqual(await store.generations.spentNanoUsd(name), 3);
      expectEqual(await store.generations.spent({ userId: name }), toSpent(4));
      await store.generations.carrySpending(name, []);
      expectEqual(await store.generations.spentNanoUsd(name), 0);
    }
    await expectSums(store, undefined, []);
  }),
];

const spend = (
  store: Store,
  id: string,
  costNanoUsd: number,
  day: string,
  more: { byok?: boolean; by?: string } = {},
): Promise<void> =>
  store.generations.append(
    toRecord(id, {
      costNanoUsd,
      principalId: more.by ?? 'key-1',
      generation: { created_at: `${day}T23:59:59.999Z`, is_byok: more.byok ?? false },
    }),
    null,
  );
const spendAll = async (store: Store): Promise<void> => {
  await spend(store, 'g1', 1, '2026-03-01');
  await spend(store, 'g2', 20, '2026-03-02');
  await spend(store, 'g3', 300, '2026-03-02', { byok: true });
  await spend(store, 'g4', 4_000, '2026-03-03', { by: 'key-2' });
  await spend(store, 'g5', 50_000, '2026-02-28');
};

const spendAsMembers = async (store: Store): Promise<void> => {
  const spendIn = (id: string, costNanoUsd: number, principalId: string, more: { userId?: string; in?: string }) =>
    store.generations.append(
      toRecord(id, {
        costNanoUsd,
        principalId,
        ...(more.userId !== undefined && { userId: more.userId }),
        generation: {
          created_at: id === 'g4' ? '2026-03-02T00:00:00.000Z' : '2026-03-01T00:00:00.000Z',
          workspace_id: more.in ?? null,
        },
      }),
      null,
    );
  await spendIn('g1', 1, 'key-1', {});
  await spendIn('g2', 20, 'key-1', { in: 'w1' });
  await spendIn('g3', 300, 'key-1', { in: 'w1', userId: 'mo' });
  await spendIn('g4', 4_000, 'key-2', { in: 'w2', userId: 'mo' });
};

const feeOf = (bill: number): number => bill % 97;
/** Calls of two keys and workspaces on three days, with and without keys of their own; a fee of 0 is none. */
const toFeed = (at: number, bill: number, isByok: boolean): GenerationRecord => {
  const fee = isByok ? feeOf(bill) : 0;
  return toRecord(`g${at}`, {
    costNanoUsd: bill + fee,
    principalId: `key-${at % 2}`,
    userId: 'mo',
    generation: {
      created_at: `2026-03-0${1 + (at % 3)}T00:00:00.000Z`,
      is_byok: isByok,
      workspace_id: `w${at % 2}`,
      ...(fee > 0 && { byok_fee: fee / 1e9 }),
    },
  });
};
const toBill = (at: number): number => (at * 7_919_317) % 1_000_003;
const isOwn = (at: number): boolean => at % 5 < 2;

/** Stores calls with fees, of which every seventh is changed afterwards, and returns what all of them sum up to. */
async function feedAll(store: Store): Promise<(isCounted: (at: number) => boolean) => Spent> {
  const ids = Array.from({ length: 210 }, (_, at) => at);
  await Promise.all(ids.map((at) => store.generations.append(toFeed(at, toBill(at), isOwn(at)), null)));
  await store.generations.activity({ since: '2026-03-01' });
  const isChanged = (at: number): boolean => at % 7 === 0;
  for (const at of ids.filter(isChanged)) await store.generations.update(toFeed(at, toBill(at) + 1, !isOwn(at)));
  return (isCounted) => {
    let [creditsNanoUsd, byokNanoUsd] = [0, 0];
    for (const at of ids.filter(isCounted)) {
      const bill = toBill(at) + (isChanged(at) ? 1 : 0);
      const isByok = isChanged(at) !== isOwn(at);
      creditsNanoUsd += isByok ? feeOf(bill) : bill;
      byokNanoUsd += isByok ? bill : 0;
    }
    return { creditsNanoUsd, byokNanoUsd };
  };
}

async function expectFees(store: Store, sumOf: Awaited<ReturnType<typeof feedAll>>): Promise<void> {
  const { generations } = store;
  expectEqual(
    await generations.spent({}),
    sumOf(() => true),
  );
  expectEqual(
    await generations.spent({ since: '2026-03-03' }),
    sumOf((at) => at % 3 === 2),
  );
  for (const rest of [0, 1]) {
    const sum = sumOf((at) => at % 2 === rest);
    expectEqual(await generations.spent({ principalId: `key-${rest}` }), sum);
    expectEqual(await generations.spent({ workspaceId: `w${rest}` }), sum);
    expectEqual(await generations.spentNanoUsd(`key-${rest}`), sum.creditsNanoUsd + sum.byokNanoUsd);
  }
  const days = await generations.activity({ since: '2026-03-02' });
  const add = (of: (sum: Spent) => number): number => days.reduce((sum, day) => sum + of(day), 0);
  expectEqual(
    { creditsNanoUsd: add((day) => day.creditsNanoUsd), byokNanoUsd: add((day) => day.byokNanoUsd) },
    sumOf((at) => at % 3 > 0),
  );
  const account = [...(await generations.listSpending())].filter(({ kind }) => kind === 'account');
  expectEqual(
    account.reduce((sum, day) => sum + day.creditsNanoUsd, 0),
    sumOf(() => true).creditsNanoUsd,
  );
}

export const spendingCases: readonly StoreCase[] = [
  storeCase(
    'A store counts the fee for an own key as credits, and the rest of its cost as paid to the provider',
    async (store) => expectFees(store, await feedAll(store)),
  ),

  durableStoreCase('A store has the same fees for own keys after it was opened again', async (store, reopen) => {
    const sumOf = await feedAll(store);
    await expectFees(await reopen(), sumOf);
  }),

  storeCase(
    'A store sums what was spent from a day on, credits and what was paid to providers apart',
    async (store) => {
      await spendAll(store);
      const sum = (since?: string) => store.generations.spent({ principalId: 'key-1', since });
      expectEqual(await sum(), { creditsNanoUsd: 50_021, byokNanoUsd: 300 });
      expectEqual(await sum('2026-03-01'), { creditsNanoUsd: 21, byokNanoUsd: 300 });
      expectEqual(await sum('2026-03-02'), { creditsNanoUsd: 20, byokNanoUsd: 300 });
      expectEqual(await sum('2026-03-03'), { creditsNanoUsd: 0, byokNanoUsd: 0 });
      expectEqual(await store.generations.spent({ principalId: 'nobody' }), { creditsNanoUsd: 0, byokNanoUsd: 0 });
      expectEqual(await store.generations.spentNanoUsd('key-1'), 50_321);
    },
  ),

  storeCase('A store sums over all principals when none is named', async (store) => {
    await spendAll(store);
    expectEqual(await store.generations.spent({}), { creditsNanoUsd: 54_021, byokNanoUsd: 300 });
    expectEqual(await store.generations.spent({ since: '2026-03-03' }), { creditsNanoUsd: 4_000, byokNanoUsd: 0 });
  }),

  storeCase('A store counts the last version of a generation, whatever it changes', async (store) => {
    await spend(store, 'g1', 7, '2026-03-01');
    const generation = { created_at: '2026-03-02T00:00:00.000Z', is_byok: true };
    await store.generations.update(toRecord('g1', { costNanoUsd: 9, principalId: 'key-2', generation }));
    expectEqual(await store.generations.spent({ principalId: 'key-1' }), { creditsNanoUsd: 0, byokNanoUsd: 0 });
    expectEqual(await store.generations.spent({ since: '2026-03-02' }), { creditsNanoUsd: 0, byokNanoUsd: 9 });
  }),

  storeCase('A store still has all of the sum, and that of a month, when days lie far apart', async (store) => {
    await spend(store, 'g1', 1, '2025-01-15');
    await spend(store, 'g2', 20, '2026-03-01');
    await spend(store, 'g3', 300, '2026-03-31');
    await spend(store, 'g4', 4_000, '2025-06-01');
    expectEqual((await store.generations.spent({ since: '2026-03-01' })).creditsNanoUsd, 320);
    expectEqual((await store.generations.spent({})).creditsNanoUsd, 4_321);
  }),

  storeCase(
    'A store sums what a member has spent, whatever key it was with, and what a workspace has',
    async (store) => {
      await spendAsMembers(store);
      const sum = async (query: SpentQuery) => (await store.generations.spent(query)).creditsNanoUsd;
      expectEqual(await sum({ userId: 'mo' }), 4_300);
      expectEqual(await sum({ userId: 'mo', since: '2026-03-02' }), 4_000);
      expectEqual(await sum({ userId: 'nobody' }), 0);
      expectEqual(await sum({ workspaceId: 'w1' }), 320);
      expectEqual(await sum({ workspaceId: 'w2' }), 4_000);
      expectEqual(await sum({ principalId: 'key-1' }), 321);
      expectEqual(await sum({}), 4_321);
      expectMatch(await store.generations.get('g3'), { userId: 'mo', principalId: 'key-1' });
      expectEqual((await store.generations.get('g1'))?.userId, undefined);
    },
  ),

  durableStoreCase(
    'A store has the sums of members and workspaces after it was closed and opened',
    async (store, reopen) => {
      await spendAsMembers(store);
      store = await reopen();
      expectEqual(await store.generations.spent({ userId: 'mo' }), { creditsNanoUsd: 4_300, byokNanoUsd: 0 });
      expectEqual(await store.generations.spent({ workspaceId: 'w1' }), { creditsNanoUsd: 320, byokNanoUsd: 0 });
      expectMatch(await store.generations.get('g3'), { userId: 'mo', principalId: 'key-1' });
    },
  ),

  durableStoreCase('A store has the same sums after it was closed and opened', async (store, reopen) => {
    await spendAll(store);
    await store.generations.update(
      toRecord('g1', { costNanoUsd: 2, generation: { created_at: '2026-03-01T23:59:59.999Z' } }),
    );
    store = await reopen();
    expectEqual(await store.generations.spent({ principalId: 'key-1' }), {
      creditsNanoUsd: 50_022,
      byokNanoUsd: 300,
    });
    expectEqual(await store.generations.spent({ since: '2026-03-02' }), {
      creditsNanoUsd: 4_020,
      byokNanoUsd: 300,
    });
  }),
];
