import { expectEqual, expectRejection } from '../assertions.ts';
import { toKey } from '../rows/generation-records.ts';
import { storeCase, type StoreCase } from './store-case.ts';

/** Keys, and with them what every table does. */
export const keyCases: readonly StoreCase[] = [
  storeCase('A store gives back a key that was inserted', async (store) => {
    const key = toKey('a1', { limitUsd: 2.5, limitReset: 'monthly', expiresAt: '2027-01-01T00:00:00.000Z' });
    await store.keys.insert(key);
    expectEqual(await store.keys.get('a1'), key);
    expectEqual(await store.keys.get('unknown'), undefined);
  }),

  storeCase('A store lists keys oldest first, an updated one at its old place', async (store) => {
    for (const hash of ['c', 'a', 'b']) await store.keys.insert(toKey(hash));
    await store.keys.update('c', (key) => ({ ...key, name: 'changed' }));
    expectEqual(
      (await store.keys.list()).map(({ hash, name }) => [hash, name]),
      [
        ['c', 'changed'],
        ['a', 'Key a'],
        ['b', 'Key b'],
      ],
    );
  }),

  storeCase('A store refuses a key whose hash exists and keeps the first', async (store) => {
    await store.keys.insert(toKey('a', { name: 'first' }));
    await expectRejection(store.keys.insert(toKey('a', { name: 'second' })));
    expectEqual((await store.keys.get('a'))?.name, 'first');
  }),

  storeCase('A store tells when there is no key to update or remove', async (store) => {
    expectEqual(await store.keys.update('a', (key) => key), undefined);
    expectEqual(await store.keys.remove('a'), false);
    expectEqual(await store.keys.list(), []);
  }),

  storeCase('A store forgets a key that was removed', async (store) => {
    await store.keys.insert(toKey('a'));
    expectEqual(await store.keys.remove('a'), true);
    expectEqual(await store.keys.get('a'), undefined);
    expectEqual(await store.keys.remove('a'), false);
  }),

  storeCase('A store keeps every key of many inserted at once', async (store) => {
    const hashes = Array.from({ length: 20 }, (_, index) => `k${index}`);
    await Promise.all(hashes.map((hash) => store.keys.insert(toKey(hash))));
    expectEqual((await store.keys.list()).map(({ hash }) => hash).toSorted(), hashes.toSorted());
  }),
];
