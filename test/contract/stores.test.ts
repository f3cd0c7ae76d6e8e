import { durableStoreCases, storeCases } from '@model-gateway/core/testing';
import { describe, expect, test } from 'vitest';

import { toKey, toRecord } from '../support/stores/generation-records.ts';
import { storeImplementations } from '../support/stores/store-implementations.ts';
import { testStoreCases } from '../support/stores/test-store-cases.ts';

describe.each(storeImplementations)('The $name store', ({ isDurable, ...subject }) => {
  testStoreCases(isDurable ? [...storeCases, ...durableStoreCases] : storeCases, subject);
});

test('no two cases have the same title, as some runners refuse that', () => {
  const titles = [...storeCases, ...durableStoreCases].map(({ title }) => title);
  expect(titles.length).toBe(new Set(titles).size);
});

// What our own stores do beyond the contract.
describe.each(storeImplementations)('Our own $name store', ({ hasRetention = false, createPlace }) => {
  test('names the id that exists', async () => {
    const place = await createPlace();
    const store = await place.open();
    await store.keys.insert(toKey('a'));
    await expect(store.keys.insert(toKey('a'))).rejects.toThrow(/id a exists/);
    const appended = store.generations.append(toRecord('gen-1'), null);
    await expect(store.generations.append(toRecord('gen-1'), null)).rejects.toThrow(/gen-1/);
    await appended;
    await expect(store.generations.append(toRecord('gen-1'), null)).rejects.toThrow(/gen-1/);
    await store.close();
    await place.remove?.();
  });

  test('looks for no page at all generations', async () => {
    const place = await createPlace();
    const store = await place.open();
    const ids = Array.from({ length: 5000 }, (_, index) => `gen-${index}`);
    await Promise.all(ids.map((id) => store.generations.append(toRecord(id), null)));
    const page = await store.generations.page({ limit: 2, filter: { principalIds: new Set(['nobody']) } });
    expect(page).toEqual({ records: [], next: expect.any(String) });
    await store.close();
    await place.remove?.();
  });

  test.runIf(hasRetention)('lets go of what guardrails did beyond retention', async () => {
    const day = new Date(Date.now() - 40 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
    const place = await createPlace();
    const store = await place.open();
    await store.guardrailHits.insert({ id: `g ${day}`, guardrailId: 'g', day, hours: {}, refusals: [] });
    await store.close();
    const again = await place.open();
    expect(await again.guardrailHits.list()).toEqual([]);
    await again.close();
    await place.remove?.();
  });
});
