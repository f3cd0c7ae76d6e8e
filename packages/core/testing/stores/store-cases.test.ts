import type { Store } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { expect, test } from 'vitest';

import type { StoreCase } from './store-case.ts';
import { durableStoreCases, storeCases } from './store-cases.ts';

/** The titles of the cases that a store fails, with what they say. */
async function findFailures(cases: readonly StoreCase[], open: () => Store): Promise<Map<string, string>> {
  const failures = new Map<string, string>();
  for (const { title, run } of cases) {
    await run(() => ({ open })).catch((error: Error) => failures.set(title, error.message));
  }
  return failures;
}

/** A memory store of which some parts are others. */
const openWith = (toParts: (store: Store) => Partial<Store>) => (): Store => {
  const store = createMemoryStore();
  return { ...store, ...toParts(store) };
};

test('a store that meets the contract fails no case but those about members that it does without', async () => {
  const optional = storeCases.filter(({ needs }) => needs !== undefined && needs !== 'audit');
  expect(optional.length).toBeGreaterThan(1);
  expect(await findFailures(storeCases, createMemoryStore)).toEqual(
    new Map(
      optional.map(({ title, needs }) => [
        title,
        `The store has no ${needs}, which is optional: skip the cases that need it`,
      ]),
    ),
  );
});

test('a case about an optional member is run on a store that has it', async () => {
  const [listing] = storeCases.filter(({ needs }) => needs === 'videoJobs.listNewest');
  const openListing = openWith(({ videoJobs }) => ({
    videoJobs: { ...videoJobs, listNewest: async () => (await videoJobs.list()).toReversed() },
  }));
  await expect(listing?.run(() => ({ open: openListing }))).rejects.toThrow('Expected ["c","b"], but found');
});

test.each<[flaw: string, toParts: (store: Store) => Partial<Store>, title: string, message: string]>([
  [
    'lists the newest key first',
    ({ keys }) => ({ keys: { ...keys, list: async () => (await keys.list()).toReversed() } }),
    'A store lists keys oldest first, an updated one at its old place',
    'Expected "c" at [0][0], but found "b"',
  ],
  [
    'takes an id twice',
    ({ keys }) => ({ keys: { ...keys, insert: (key) => keys.insert(key).catch(() => undefined) } }),
    'A store refuses a key whose hash exists and keeps the first',
    'Expected a rejection, but it resolved',
  ],
  [
    'loses contents',
    ({ generations }) => ({ generations: { ...generations, getContent: () => undefined } }),
    'A store gives back a generation and its content once append has resolved',
    'but found undefined',
  ],
  [
    'sums without the day',
    ({ generations }) => ({
      generations: { ...generations, spent: ({ principalId }) => generations.spent({ principalId }) },
    }),
    'A store sums what was spent from a day on, credits and what was paid to providers apart',
    'Expected 21 at creditsNanoUsd, but found 50021',
  ],
])('a store that %s fails the case that says so', async (_flaw, toParts, title, message) => {
  const failures = await findFailures(storeCases, openWith(toParts));
  expect(failures.get(title)).toContain(message);
  expect(failures.size).toBeLessThan(storeCases.length / 2);
});

test('a store that forgets fails every case of durable ones', async () => {
  const failures = await findFailures(durableStoreCases, createMemoryStore);
  expect([...failures.keys()]).toEqual(durableStoreCases.map(({ title }) => title));
});

test('a case that fails closes its store and removes its place', async () => {
  const steps: string[] = [];
  const [first] = storeCases;
  const run = first?.run(() => ({
    open: openWith(({ keys }) => ({
      keys: { ...keys, get: () => undefined },
      close: async () => void steps.push('closed'),
    })),
    remove: () => void steps.push('removed'),
  }));
  await expect(run).rejects.toThrow('Expected');
  expect(steps).toEqual(['closed', 'removed']);
});
