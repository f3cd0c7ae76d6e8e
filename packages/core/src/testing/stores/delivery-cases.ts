import type { DeliveryAttempt } from '../../stores/store.ts';
import { expectEqual } from '../assertions.ts';
import { durableStoreCase, storeCase, type StoreCase } from './store-case.ts';

const NOW = Date.now();
const HOUR_MS = 3_600_000;

const attempt = (ids: readonly string[], changes: Partial<DeliveryAttempt> = {}): DeliveryAttempt => ({
  destinationId: 'd-1',
  generationIds: ids,
  sentAt: NOW,
  tookMs: 12,
  hasArrived: true,
  result: 'HTTP 200',
  ...changes,
});

export const deliveryCases: readonly StoreCase[] = [
  storeCase('The deliveries of a store are those of each generation, oldest first, failed ones too', async (store) => {
    const failed = attempt(['a', 'b'], { hasArrived: false, result: 'HTTP 500', sentAt: NOW - 60_000 });
    const arrived = attempt(['a']);
    const elsewhere = attempt(['b', 'a'], { destinationId: 'd-2', sentAt: NOW - 30_000 });
    for (const one of [failed, elsewhere, arrived]) await store.deliveries.append(one);
    expectEqual(await store.deliveries.of('a', NOW - HOUR_MS), [failed, elsewhere, arrived]);
    expectEqual(await store.deliveries.of('b', NOW - HOUR_MS), [failed, elsewhere]);
    expectEqual(await store.deliveries.of('c', NOW - HOUR_MS), []);
  }),

  storeCase(
    'The deliveries of a store do not take one id for another that contains it, nor for other texts',
    async (store) => {
      await store.deliveries.append(attempt(['gen-10', 'x"gen-1"'], { result: 'gen-1' }));
      expectEqual(await store.deliveries.of('gen-1', NOW - HOUR_MS), []);
      expectEqual((await store.deliveries.of('x"gen-1"', NOW - HOUR_MS)).length, 1);
    },
  ),

  storeCase('The deliveries of a store are all there when many are noted at once', async (store) => {
    const ids = Array.from({ length: 200 }, (_, index) => `gen-${index}`);
    await Promise.all(ids.map((id) => store.deliveries.append(attempt([id]))));
    for (const id of ['gen-0', 'gen-99', 'gen-199'])
      expectEqual((await store.deliveries.of(id, NOW - HOUR_MS)).length, 1);
  }),

  durableStoreCase('The deliveries of a store outlive a restart', async (store, reopen) => {
    await store.deliveries.append(attempt(['a']));
    store = await reopen();
    await store.deliveries.append(attempt(['a'], { sentAt: NOW + 1 }));
    expectEqual(await store.deliveries.of('a', NOW - HOUR_MS), [attempt(['a']), attempt(['a'], { sentAt: NOW + 1 })]);
  }),
];
