import { expect, test } from 'vitest';

import { toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createMemoryStore } from '../stores/memory-store.ts';
import type { Store } from '../stores/store.ts';
import { narrowStore } from './member-view.ts';

const START_MS = Date.UTC(2026, 2, 27);
const MINUTE_MS = 60_000;
const RECORDS = 30;
const ADA = { userId: 'ada', own: true, workspaceIds: new Set<string>(), memberOf: new Set<string>() };

/** Calls of one a minute, of which every third is that of Ada, as she sees them in a store that looks at `minutes` at a time. */
async function openView(minutes: number) {
  const store = createMemoryStore();
  for (let at = 0; at < RECORDS; at += 1) {
    const generation = { created_at: new Date(START_MS + at * MINUTE_MS).toISOString() };
    await store.generations.append(toRecord(`gen-${at}`, { userId: at % 3 === 0 ? 'ada' : 'bob', generation }), null);
  }
  const hasty: Store = {
    ...store,
    generations: {
      ...store.generations,
      async sorted(query) {
        const { filter = {} } = query;
        const toMs = Math.min(filter.createdBeforeMs ?? Infinity, START_MS + RECORDS * MINUTE_MS);
        const createdFromMs = toMs - minutes * MINUTE_MS;
        const page = await store.generations.sorted({ ...query, filter: { ...filter, createdFromMs } });
        return page.next !== null || createdFromMs <= START_MS ? page : { ...page, searchedFromMs: createdFromMs };
      },
    },
  };
  return narrowStore(hasty, ADA).generations;
}

test.each([1, 2, 7, 100])('a member’s list is whole where the store looks at %d minutes at a time', async (minutes) => {
  const view = await openView(minutes);
  const ids: string[] = [];
  let before: string | undefined;
  do {
    const { records, next } = await view.page({ limit: 4, before, filter: {} });
    ids.push(...records.map(({ generation }) => generation.id));
    before = next ?? undefined;
  } while (before !== undefined);
  expect(ids).toEqual([27, 24, 21, 18, 15, 12, 9, 6, 3, 0].map((at) => `gen-${at}`));
});

test('a member is asked to come again where the store gets no further', async () => {
  const view = await openView(0);
  await expect(view.page({ limit: 4, filter: {} })).rejects.toMatchObject({ status: 503, retryAfterSeconds: 1 });
});
