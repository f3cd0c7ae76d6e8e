import type { Store } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { expect, test } from 'vitest';

import { toRecord } from '../../../../test/support/stores/generation-records.ts';
import { copyGenerations } from './copy-generations.ts';
import { findOneByOne } from './find-known.ts';

const START_MS = Date.parse('2026-03-01T00:00:00Z');
const idOf = (index: number): string => `gen-${index.toString().padStart(6, '0')}`;

/** A store with generations of one second each. */
async function fill(count: number): Promise<Store> {
  const store = createMemoryStore();
  for (let index = 0; index < count; index += 1) await append(store, index);
  return store;
}

const append = async (store: Store, index: number): Promise<void> =>
  store.generations.append(
    toRecord(idOf(index), { generation: { created_at: new Date(START_MS + index * 1000).toISOString() } }),
    null,
  );

async function listIds({ generations }: Store): Promise<string[]> {
  const ids: string[] = [];
  let before: string | undefined;
  do {
    const { records, next } = await generations.page({ limit: 500, before });
    ids.push(...records.map(({ generation }) => generation.id));
    before = next ?? undefined;
  } while (before !== undefined);
  return ids.toReversed();
}

test.each([0, 1, 499, 500, 501, 1700])('%i generations are copied, oldest first', async (count) => {
  const from = await fill(count);
  const to = createMemoryStore();
  const copied = await copyGenerations({
    from: from.generations,
    to: to.generations,
    findKnown: findOneByOne(to.generations),
    onProgress: () => undefined,
    onShared: () => undefined,
  });
  expect(copied).toBe(count);
  expect(await listIds(to)).toEqual(Array.from({ length: count }, (_, index) => idOf(index)));
});

test('generations that are added meanwhile displace none of those that were there', async () => {
  const from = await fill(1200);
  const to = createMemoryStore();
  let added = 1200;
  const progress: number[] = [];
  await copyGenerations({
    from: from.generations,
    to: to.generations,
    async findKnown(records) {
      for (let more = 0; more < 300; more += 1) await append(from, added++);
      return findOneByOne(to.generations)(records);
    },
    onProgress: (done, total) => void progress.push(done - total),
    onShared: () => undefined,
  });
  expect(added).toBeGreaterThan(1700);
  expect(await listIds(to)).toEqual(Array.from({ length: 1200 }, (_, index) => idOf(index)));
  expect(progress.at(-1)).toBe(0);
});
