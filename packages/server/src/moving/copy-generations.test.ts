import type { Store } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { expect, test } from 'vitest';

import { toRecord } from '../../../../test/support/stores/generation-records.ts';
import { copyGenerations, createInFlight } from './copy-generations.ts';
import { findOneByOne } from './moved-file.ts';

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

test('no more is written while the target lets wait what it did not write in time', async () => {
  const from = await fill(3);
  const to = createMemoryStore();
  const steps: string[] = [];
  await copyGenerations({
    from: from.generations,
    to: {
      ...to.generations,
      async append(record, content) {
        await to.generations.append(record, content);
        steps.push(record.generation.id);
        if (record.generation.id === idOf(0)) throw new Error('It waits for the database');
      },
    },
    findKnown: findOneByOne(to.generations),
    whenWritten: async () => void steps.push('written'),
    onProgress: () => undefined,
    onShared: ({ generation }) => void steps.push(`shared ${generation.id}`),
  });
  expect(steps.indexOf('written')).toBeLessThan(steps.indexOf(`shared ${idOf(0)}`));
  expect(steps.filter((step) => step === 'written')).toHaveLength(1);
  expect(await listIds(to)).toEqual([0, 1, 2].map(idOf));
});

function setUp(room: { count: number; size: number }) {
  const ends: (() => void)[] = [];
  const inFlight = createInFlight(room);
  let begun = 0;
  const run = (): Promise<void> => {
    begun += 1;
    return new Promise((resolve) => void ends.push(resolve));
  };
  return { inFlight, run, ends, begun: () => begun };
}

test('no more are done at once than there is room for, by number and by size', async () => {
  for (const [room, size] of [
    [{ count: 2, size: 100 }, 1],
    [{ count: 100, size: 2 }, 1],
    [{ count: 100, size: 15 }, 7],
  ] as const) {
    const { inFlight, run, ends, begun } = setUp(room);
    await inFlight.add(size, run);
    await inFlight.add(size, run);
    const third = inFlight.add(size, run);
    expect(begun()).toBe(2);
    ends[0]?.();
    await third;
    expect(begun()).toBe(3);
  }
});

test('what is larger than the room is done alone', async () => {
  const { inFlight, run, ends, begun } = setUp({ count: 10, size: 10 });
  await inFlight.add(1, run);
  const large = inFlight.add(1000, run);
  expect(begun()).toBe(1);
  ends[0]?.();
  await large;
  expect(begun()).toBe(2);
});

test('after one has failed none is begun, and the end says why', async () => {
  const { inFlight, run, begun } = setUp({ count: 1, size: 10 });
  await inFlight.add(1, () => Promise.reject(new Error('the disk is full')));
  await expect(inFlight.add(1, run)).rejects.toThrow('the disk is full');
  await expect(inFlight.end()).rejects.toThrow('the disk is full');
  expect(begun()).toBe(0);
});
