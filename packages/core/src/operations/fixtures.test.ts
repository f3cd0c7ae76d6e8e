import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/core-gateway.ts';
import { toContent, toRecord } from '../../../../test/support/generation-records.ts';
import { createScriptedTransport } from '../../../../test/support/scripted-transport.ts';
import type { FixtureLibrary, StoredGeneration } from '../fixture-library.ts';

const STATE: ReturnType<FixtureLibrary['describe']> = {
  mode: 'replay',
  record_at: null,
  dir: '/fixtures',
  saves: true,
  cases: 0,
  unused: 0,
  misses: 0,
  sets: [],
};

/** A gateway whose host has fixtures, and what it was told to save. */
function start() {
  const saved: StoredGeneration[] = [];
  const asked: unknown[] = [];
  const fixtures: FixtureLibrary = {
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
  return { ...core, saved, asked, save };
}

test('tells of the host’s fixtures, and asks it with the query’s defaults', async () => {
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
  const answer = await get('/admin/v1/fixtures', MANAGEMENT_KEY);
  expect(answer.status).toBe(404);
  expect(JSON.stringify(jsonOf(answer))).toContain('serve --fixtures DIR');
});

test('saves a chat completion that is whole, of whoever made it', async () => {
  const { store, save, saved } = start();
  const record = toRecord('gen-1');
  await store.generations.append(record, toContent('Hi'));
  expect((await save('gen-1')).status).toBe(201);
  expect(saved).toEqual([{ generation: record.generation, content: toContent('Hi') }]);
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
