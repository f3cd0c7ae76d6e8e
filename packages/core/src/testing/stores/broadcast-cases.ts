import type { BroadcastRow } from '../../stores/rows.ts';
import type { BroadcastDeliveryQuery } from '../../stores/store.ts';
import { expectEqual } from '../assertions.ts';
import { durableStoreCase, storeCase, type StoreCase } from './store-case.ts';

const DELIVERY: BroadcastRow = {
  kind: 'delivery',
  id: 'row-1',
  destinationId: 'd',
  generationIds: ['gen-1', 'gen-2'],
  state: 'waiting',
  attempts: 1,
  nextAttemptAt: 5,
  lastResult: 'HTTP 503',
  createdAt: Date.now(),
};
const PROGRESS: BroadcastRow = { kind: 'progress', id: 'd', through: 'gen-2' };

export const broadcastCases: readonly StoreCase[] = [
  storeCase('A store keeps what is still to be broadcast, changes it, and lets go of it', async (store) => {
    const { broadcasts } = store;
    for (const row of [DELIVERY, PROGRESS]) expectEqual(await broadcasts.update(row.id, () => row, row), row);
    expectEqual(await broadcasts.list(), [DELIVERY, PROGRESS]);
    const moved = { ...PROGRESS, through: 'gen-3' };
    await broadcasts.update('d', () => moved, moved);
    expectEqual(await broadcasts.get('d'), moved);
    expectEqual(await broadcasts.remove('row-1'), true);
    expectEqual(await broadcasts.list(), [moved]);
  }),

  storeCase(
    'A store lists the deliveries to one destination, oldest first',
    async (store) => {
      const { broadcasts } = store;
      const again = { ...DELIVERY, id: 'row-2', state: 'failed' } as const;
      const odd = { ...DELIVERY, id: 'row-3', destinationId: 'odd \u0000 "d"' };
      for (const row of [DELIVERY, PROGRESS, odd, again]) await broadcasts.insert(row);
      expectEqual(await broadcasts.listOf?.('d'), [DELIVERY, again]);
      expectEqual(await broadcasts.listOf?.(odd.destinationId), [odd]);
      expectEqual(await broadcasts.listOf?.('of nobody'), []);
    },
    'broadcasts.listOf',
  ),

  storeCase(
    'A store pages through deliveries, the last stored first, and counts all that are chosen',
    async (store) => {
      const { broadcasts } = store;
      const failed = { ...DELIVERY, id: 'row-2', state: 'failed' } as const;
      const lastResult = 'odd \u0000 \\u0000 \ud800 "state":"failed"';
      const odd = { ...DELIVERY, id: 'row-3', destinationId: 'odd \u0000 "d"', lastResult };
      for (const row of [DELIVERY, PROGRESS, failed, odd]) await broadcasts.insert(row);
      const page = async (query: Omit<BroadcastDeliveryQuery, 'limit'>, limit = 10) => {
        const found = await broadcasts.page?.({ ...query, limit });
        return [found?.deliveries, found?.totalCount];
      };
      expectEqual(await page({}), [[odd, failed, DELIVERY], 3]);
      expectEqual(await page({}, 1), [[odd], 3]);
      expectEqual(await page({ destinationId: 'd' }, 1), [[failed], 2]);
      expectEqual(await page({ destinationId: odd.destinationId }), [[odd], 1]);
      expectEqual(await page({ state: 'waiting' }), [[odd, DELIVERY], 2]);
      expectEqual(await page({ destinationId: 'd', state: 'failed' }), [[failed], 1]);
      expectEqual(await page({ destinationId: 'of nobody' }), [[], 0]);
      const waiting = { ...failed, state: 'waiting' } as const;
      await broadcasts.update('row-2', () => waiting);
      expectEqual(await page({ state: 'failed' }), [[], 0]);
      expectEqual(await page({ destinationId: 'd', state: 'waiting' }), [[waiting, DELIVERY], 2]);
    },
    'broadcasts.page',
  ),

  durableStoreCase('A store finds what is still to be broadcast when it is opened again', async (store, reopen) => {
    const { broadcasts } = store;
    for (const row of [DELIVERY, { ...DELIVERY, id: 'row-2' }, PROGRESS]) await broadcasts.insert(row);
    await broadcasts.remove('row-2');
    store = await reopen();
    expectEqual(await store.broadcasts.list(), [DELIVERY, PROGRESS]);
  }),
];
