import type { Store } from '../../stores/store.ts';
import { expectEqual } from '../assertions.ts';
import { toRecord } from '../rows/generation-records.ts';
import { storeCase, type StoreCase } from './store-case.ts';

type Follow = NonNullable<Store['generations']['follow']>;

/** What has just been appended may come a moment later. */
const LIMIT_MS = 10_000;

async function readAll(
  follow: Follow,
  from: { readonly place: string; readonly count: number; readonly page: number },
) {
  const ids: string[] = [];
  let { place } = from;
  const endsAt = Date.now() + LIMIT_MS;
  while (ids.length < from.count && Date.now() < endsAt) {
    const found = await follow(place, from.page);
    ids.push(...found.records.map(({ generation }) => generation.id));
    place = found.place;
  }
  return { ids, place };
}

export const followCases: readonly StoreCase[] = [
  storeCase(
    'A store that shows what comes after a place shows each generation once, in pages too',
    async (store) => {
      const { generations } = store;
      const follow: Follow = (place, limit) =>
        generations.follow?.(place, limit) ?? Promise.reject(new Error('no follow'));
      const start = await follow(null, 10);
      expectEqual(start.records, []);
      const first = ['gen-a', 'gen-b', 'gen-c', 'gen-d', 'gen-e'];
      for (const id of first) await generations.append(toRecord(id), null);
      const read = await readAll(follow, { place: start.place, count: 5, page: 2 });
      expectEqual(read.ids.toSorted(), first);
      expectEqual((await follow(read.place, 10)).records, []);
      await generations.append(toRecord('gen-0'), null);
      expectEqual((await readAll(follow, { place: read.place, count: 1, page: 10 })).ids, ['gen-0']);
      // A place stays good, whoever went on from it.
      expectEqual((await readAll(follow, { place: start.place, count: 6, page: 4 })).ids.toSorted(), [
        'gen-0',
        ...first,
      ]);
    },
    'generations.follow',
  ),
];
