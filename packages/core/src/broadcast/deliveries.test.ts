import { expect, test } from 'vitest';

import { createMemoryStore } from '../stores/memory-store.ts';
import type { BroadcastDelivery } from '../stores/rows.ts';
import type { BroadcastDeliveryPage, BroadcastDeliveryQuery, BroadcastRepository } from '../stores/store.ts';
import { pageDeliveries } from './deliveries.ts';

async function createDeliveries(): Promise<BroadcastRepository> {
  const { broadcasts } = createMemoryStore();
  const toDelivery = (
    id: string,
    destinationId: string,
    state: BroadcastDelivery['state'] = 'waiting',
  ): BroadcastDelivery => ({
    kind: 'delivery',
    id,
    destinationId,
    generationIds: ['gen-1'],
    state,
    attempts: 1,
    nextAttemptAt: 0,
    lastResult: null,
    createdAt: 0,
  });
  await broadcasts.insert(toDelivery('first', 'd'));
  await broadcasts.insert({ kind: 'progress', id: 'd', through: 'gen-1' });
  await broadcasts.insert(toDelivery('failed', 'd', 'failed'));
  await broadcasts.insert(toDelivery('another', 'e', 'failed'));
  await broadcasts.insert(toDelivery('last', 'd'));
  return broadcasts;
}

const idsOf = ({ deliveries, totalCount }: BroadcastDeliveryPage): unknown => [
  deliveries.map(({ id }) => id),
  totalCount,
];

test.each<[BroadcastDeliveryQuery, ids: readonly string[], count: number]>([
  [{ limit: 10 }, ['last', 'another', 'failed', 'first'], 4],
  [{ limit: 2 }, ['last', 'another'], 4],
  [{ limit: 2, destinationId: 'd' }, ['last', 'failed'], 3],
  [{ limit: 1, state: 'failed' }, ['another'], 2],
  [{ limit: 10, state: 'failed', destinationId: 'd' }, ['failed'], 1],
  [{ limit: 10, destinationId: 'unknown' }, [], 0],
])('pages through all deliveries that a store lists, by %j', async (query, ids, count) => {
  expect(idsOf(await pageDeliveries(await createDeliveries(), query))).toEqual([ids, count]);
});

test('does not list what a store pages through itself', async () => {
  const broadcasts = await createDeliveries();
  const list = (): never => {
    throw new Error('too many');
  };
  const page = (query: BroadcastDeliveryQuery): Promise<BroadcastDeliveryPage> => pageDeliveries(broadcasts, query);
  expect(idsOf(await pageDeliveries({ list, listOf: list, page }, { limit: 1 }))).toEqual([['last'], 4]);
});
