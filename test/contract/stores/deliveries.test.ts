import type { DeliveryAttempt, Store } from '@model-gateway/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { storeImplementations, type StorePlace } from '../../support/stores/store-implementations.ts';

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

describe.each(storeImplementations)('The deliveries of a $name store', ({ createPlace, isDurable }) => {
  let place: StorePlace;
  let store: Store;

  beforeEach(async () => {
    place = await createPlace();
    store = await place.open();
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  test('are those of each generation, oldest first, failed ones too', async () => {
    const failed = attempt(['a', 'b'], { hasArrived: false, result: 'HTTP 500', sentAt: NOW - 60_000 });
    const arrived = attempt(['a']);
    const elsewhere = attempt(['b', 'a'], { destinationId: 'd-2', sentAt: NOW - 30_000 });
    for (const one of [failed, elsewhere, arrived]) await store.deliveries.append(one);
    expect(await store.deliveries.of('a', NOW - HOUR_MS)).toEqual([failed, elsewhere, arrived]);
    expect(await store.deliveries.of('b', NOW - HOUR_MS)).toEqual([failed, elsewhere]);
    expect(await store.deliveries.of('c', NOW - HOUR_MS)).toEqual([]);
  });

  test('do not take one id for another that contains it, nor for other texts', async () => {
    await store.deliveries.append(attempt(['gen-10', 'x"gen-1"'], { result: 'gen-1' }));
    expect(await store.deliveries.of('gen-1', NOW - HOUR_MS)).toEqual([]);
    expect(await store.deliveries.of('x"gen-1"', NOW - HOUR_MS)).toHaveLength(1);
  });

  test('are all there when many are noted at once', async () => {
    const ids = Array.from({ length: 200 }, (_, index) => `gen-${index}`);
    await Promise.all(ids.map((id) => store.deliveries.append(attempt([id]))));
    for (const id of ['gen-0', 'gen-99', 'gen-199'])
      expect(await store.deliveries.of(id, NOW - HOUR_MS)).toHaveLength(1);
  });

  test.skipIf(!isDurable)('outlive a restart', async () => {
    await store.deliveries.append(attempt(['a']));
    await store.close();
    store = await place.open();
    await store.deliveries.append(attempt(['a'], { sentAt: NOW + 1 }));
    expect(await store.deliveries.of('a', NOW - HOUR_MS)).toEqual([
      attempt(['a']),
      attempt(['a'], { sentAt: NOW + 1 }),
    ]);
  });
});
