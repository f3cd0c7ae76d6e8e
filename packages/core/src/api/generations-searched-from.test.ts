import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createRecordingStore } from '../../../../test/support/stores/recording-store.ts';
import { createMemoryStore } from '../stores/memory-store.ts';

const searchedFromMs = Date.UTC(2026, 0, 1, 12);
const SEARCHED_FROM = '2026-01-01T12:00:00.000Z';
const SPAN = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';

/** A gateway whose store had no time for more. */
function setUp() {
  const { store, call } = createAdminGateway();
  const { sorted, sessions, histogram, facets } = store.generations;
  Object.assign(store.generations, {
    sorted: async (query: Parameters<typeof sorted>[0]) => ({ ...(await sorted(query)), searchedFromMs }),
    sessions: async (query: Parameters<typeof sessions>[0]) => ({ ...(await sessions(query)), searchedFromMs }),
    histogram: async (query: Parameters<typeof histogram>[0]) => ({ ...(await histogram(query)), searchedFromMs }),
    facets: async (filter: Parameters<typeof facets>[0]) => ({
      ...(await facets(filter)),
      searchedFromMs: searchedFromMs - 1000,
    }),
  });
  return async (path: string) => (await call('GET', `/admin/v1/generations${path}`)).body;
}

test('figures say from which moment on they count where the time was over before', async () => {
  const get = setUp();
  expect(await get(`/histogram?${SPAN}&facets=true`)).toMatchObject({ searched_from: SEARCHED_FROM });
});

test('figures of the span before say so for themselves', async () => {
  const get = setUp();
  expect(await get(`/histogram?${SPAN}&compare=true`)).toMatchObject({ before: { searched_from: SEARCHED_FROM } });
});

test('a sorted list and one of sessions say from which moment on calls were looked at', async () => {
  const get = setUp();
  expect(await get(`?${SPAN}&sort=cost`)).toMatchObject({ searched_from: SEARCHED_FROM });
  expect(await get(`/sessions?${SPAN}`)).toMatchObject({ searched_from: SEARCHED_FROM });
});

test('figures and lists of a whole span say nothing of the kind', async () => {
  const { call } = createAdminGateway();
  for (const path of ['?sort=cost', '/sessions?', '/histogram?facets=true&compare=true']) {
    const { body } = await call('GET', `/admin/v1/generations${path}&${SPAN}`);
    expect(JSON.stringify(body)).not.toContain('searched_from');
  }
});

test('figures and activity say from when on they are complete, where retention has dropped calls of the span', async () => {
  const { store, call } = createAdminGateway({
    recordingStore: { ...createRecordingStore(), generations: createMemoryStore({ maxGenerations: 2 }).generations },
  });
  const { generations } = store;
  const append = (id: string, at: string) =>
    generations.append(toRecord(id, { generation: { created_at: `2026-01-01T${at}.000Z` } }), null);
  const get = async (path: string) => (await call('GET', path)).body;
  await append('gen-1', '08:00:00');
  await append('gen-2', '07:00:00');
  expect(JSON.stringify([await get(`/admin/v1/generations/histogram?${SPAN}`), await get('/activity')])).not.toContain(
    'complete_from',
  );
  await append('gen-3', '10:00:00');
  await append('gen-4', '11:00:00');
  const completeFrom = { complete_from: '2026-01-01T08:00:00.001Z' };
  expect(await get(`/admin/v1/generations/histogram?${SPAN}`)).toMatchObject(completeFrom);
  expect(await get('/activity')).toMatchObject(completeFrom);
  const later = 'from=2026-01-01T09:00:00Z&to=2026-01-01T12:00:00Z&compare=true';
  const compared = await get(`/admin/v1/generations/histogram?${later}`);
  expect(compared).not.toHaveProperty('complete_from');
  expect(compared).toMatchObject({ before: completeFrom });
  expect(await get('/activity?date=2026-01-02')).not.toHaveProperty('complete_from');
});
