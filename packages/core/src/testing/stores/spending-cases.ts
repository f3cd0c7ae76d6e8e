import type { SpentQuery, Store } from '../../stores/store.ts';
import { expectEqual, expectMatch } from '../assertions.ts';
import { toRecord } from '../rows/generation-records.ts';
import { durableStoreCase, storeCase, type StoreCase } from './store-case.ts';

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

export const spendingCases: readonly StoreCase[] = [
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
