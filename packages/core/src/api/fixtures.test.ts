import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createScriptedTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import type { FixtureLibrary, StoredGeneration } from './make-fixture.ts';

const STATE: Awaited<ReturnType<FixtureLibrary['describe']>> = {
  mode: 'replay',
  switches_to: ['live', 'replay'],
  fixed_because: null,
  recording: null,
  record_at: null,
  dir: '/fixtures',
  saves: true,
  cases: 0,
  unused: 0,
  misses: 0,
  sets: [],
};

/** A gateway whose host has fixtures, and the fixtures that it was given to save. */
function start(more: Pick<FixtureLibrary, 'switchTo'> = {}) {
  const saved: StoredGeneration[] = [];
  const asked: unknown[] = [];
  const fixtures: FixtureLibrary = {
    ...more,
    describe: () => STATE,
    listCases(query) {
      asked.push(query);
      return { rows: [], total: 7 };
    },
    findCase: () => undefined,
    listMisses: () => [],
    findMiss: () => undefined,
    acceptMiss: () => ({ path: 'a/b/c', dir: '/fixtures', reason: null, answers_now: true, files: [] }),
    save(stored) {
      saved.push(stored);
      return { path: 'a/b/c', dir: '/fixtures', reason: null, answers_now: true, files: [] };
    },
  };
  const core = createCoreGateway(
    createScriptedTransport(() => undefined),
    { fixtures },
  );
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const save = (id: string) => core.post('/admin/v1/fixtures', { generation_id: id }, { headers });
  const switchTo = (body: unknown) => core.post('/admin/v1/fixtures', body, { method: 'PATCH', headers });
  return { ...core, saved, asked, save, switchTo };
}

test('returns the host’s fixtures, with the defaults of the query', async () => {
  const { get, asked } = start();
  expect(jsonOf(await get('/admin/v1/fixtures', MANAGEMENT_KEY))).toEqual({ data: STATE });
  const list = await get('/admin/v1/fixtures/cases?set=a/b&use=unused', MANAGEMENT_KEY);
  expect(jsonOf(list)).toEqual({ data: [], total_count: 7 });
  expect(asked).toEqual([{ set: 'a/b', use: 'unused', offset: 0, limit: 100 }]);
  for (const query of ['limit=0', 'limit=501', 'offset=-1', 'use=never']) {
    const refused = await get(`/admin/v1/fixtures/cases?${query}`, MANAGEMENT_KEY);
    expect([query, refused.status]).toEqual([query, 400]);
  }
  for (const path of ['/admin/v1/fixtures/case?path=a', '/admin/v1/fixtures/misses/x']) {
    expect((await get(path, MANAGEMENT_KEY)).status).toBe(404);
  }
});

test('says how to start with fixtures where the host has none', async () => {
  const { get } = createCoreGateway(createScriptedTransport(() => undefined));
  const response = await get('/admin/v1/fixtures', MANAGEMENT_KEY);
  expect(response.status).toBe(404);
  expect(JSON.stringify(jsonOf(response))).toContain('serve --fixtures DIR');
});

test('saves a complete chat completion of any caller', async () => {
  const { store, save, saved } = start();
  const record = toRecord('gen-1');
  await store.generations.append(record, toContent('Hi'));
  expect((await save('gen-1')).status).toBe(201);
  expect(saved).toEqual([{ generation: record.generation, content: toContent('Hi'), exchange: null }]);
});

test('saves nothing that would be replayed as something it was not', async () => {
  const { store, save, saved } = start();
  const broken = { message: 'cut', status: null, provider_name: 'Acme', raw: null, previous_errors: [] };
  const stored = [
    ['gen-film', { api_type: 'video' }, toContent('Hi')],
    ['gen-left', { cancelled: true }, toContent('Hi')],
    ['gen-cut', {}, { ...toContent('Hi'), error: broken }],
    ['gen-bare', {}, null],
  ] as const;
  for (const [id, changes, content] of stored) {
    await store.generations.append(toRecord(id, { generation: changes }), content);
  }
  const statuses = [];
  for (const id of [...stored.map(([name]) => name), 'gen-none']) statuses.push((await save(id)).status);
  expect(statuses).toEqual([400, 409, 409, 404, 404]);
  expect(saved).toEqual([]);
});

test('switches the mode of the host’s fixtures, and logs who did', async () => {
  const { switchTo, logged } = start({ switchTo: (mode) => ({ ...STATE, mode }) });
  const switched = await switchTo({ mode: 'live' });
  expect([switched.status, jsonOf(switched)]).toEqual([200, { data: { ...STATE, mode: 'live' } }]);
  expect(logged).toEqual([
    {
      line: 'info the mode of fixtures was switched',
      fields: { requestId: switched.headers['x-request-id'], mode: 'live', by: 'admin' },
    },
  ]);
  for (const body of [{}, { mode: 'demo' }, { mode: 'live', dir: '/' }])
    expect((await switchTo(body)).status).toBe(400);
});

test('says in words why a mode cannot be switched', async () => {
  const response = await start().switchTo({ mode: 'live' });
  expect([response.status, jsonOf(response)]).toMatchObject([
    409,
    { error: { message: 'The mode is fixed by how this gateway was started' } },
  ]);
});
