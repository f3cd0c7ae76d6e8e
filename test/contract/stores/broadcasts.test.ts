import type { BroadcastRow, Store } from '@model-gateway/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { storeImplementations, type StorePlace } from '../../support/stores/store-implementations.ts';

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

describe.each(storeImplementations)('A $name store', ({ createPlace, isDurable }) => {
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

  test('keeps what is still to be broadcast, changes it, and lets go of it', async () => {
    const { broadcasts } = store;
    for (const row of [DELIVERY, PROGRESS]) expect(await broadcasts.update(row.id, () => row, row)).toEqual(row);
    expect(await broadcasts.list()).toEqual([DELIVERY, PROGRESS]);
    const moved = { ...PROGRESS, through: 'gen-3' };
    await broadcasts.update('d', () => moved, moved);
    expect(await broadcasts.get('d')).toEqual(moved);
    expect(await broadcasts.remove('row-1')).toBe(true);
    expect(await broadcasts.list()).toEqual([moved]);
  });

  test.skipIf(!isDurable)('finds it again when it is opened anew', async () => {
    const { broadcasts } = store;
    for (const row of [DELIVERY, { ...DELIVERY, id: 'row-2' }, PROGRESS]) await broadcasts.insert(row);
    await broadcasts.remove('row-2');
    await store.close();
    store = await place.open();
    expect(await store.broadcasts.list()).toEqual([DELIVERY, PROGRESS]);
  });
});
