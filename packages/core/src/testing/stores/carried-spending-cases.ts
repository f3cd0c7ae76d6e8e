import type { SpendingSum, Spent, Store } from '../../stores/store.ts';
import { expectEqual } from '../assertions.ts';
import { toRecord } from '../rows/generation-records.ts';
import { ODD_NAMES } from './odd-names.ts';
import { durableStoreCase, storeCase, type StoreCase } from './store-case.ts';

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
