import { expect, test } from 'vitest';

import { type AdminGateway, createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { API_KEY, MANAGEMENT_KEY, readFrames } from '../../../../test/support/gateways/core-gateway.ts';
import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 2, 2, minute)).toISOString();

/** Five generations, a minute apart from 02:00 on; the clock shows 03:04:05. */
async function setUp(): Promise<AdminGateway & { ids(query: string): Promise<string> }> {
  const admin = createAdminGateway();
  const { generations } = admin.store;
  const append = (minute: number, changes: Parameters<typeof toRecord>[1], text: string | null) =>
    generations.append(
      toRecord(`gen-${minute}`, { ...changes, generation: { created_at: at(minute), ...changes?.generation } }),
      text === null ? null : toContent(text),
    );
  await append(0, { costNanoUsd: 1_000_000, generation: { external_user: 'Ada' } }, 'Flamingos');
  await append(1, { costNanoUsd: 2_000_000, generation: { finish_reason: 'error' } }, null);
  await append(2, { principalId: 'key-2', userId: 'u1', generation: { model: 'acme/other' } }, 'pelicans');
  await append(3, { generation: { cancelled: true, finish_reason: null, session_id: 's1' } }, 'FLAMINGO again');
  await append(4, { generation: { provider_name: 'Beta' } }, 'herons');
  return {
    ...admin,
    async ids(query) {
      const { status, body } = await admin.call('GET', `/admin/v1/generations${query}`);
      if (status !== 200) return `${status}`;
      return (body['data'] as { id: string }[]).map(({ id }) => id.slice(4)).join(' ');
    },
  };
}

test('shows each generation with its status, its key and its member', async () => {
  const { call } = await setUp();
  const { body } = await call('GET', '/admin/v1/generations?key=key-2');
  expect(body['data']).toEqual([
    expect.objectContaining({ id: 'gen-2', status: 'ok', key_hash: 'key-2', user_id: 'u1', model: 'acme/other' }),
  ]);
});

test.each(['', '&status=ok', '&text=flamingo', '&id=gen-0,gen-3'])(
  'sends only the selected fields of a generation %s',
  async (more) => {
    const { call, ids } = await setUp();
    const { status, body } = await call('GET', `/admin/v1/generations?fields=id,key_hash,attempts,id,trace${more}`);
    const asked = (await ids(`?${more}`)).split(' ');
    expect([status, asked.length > 1]).toEqual([200, true]);
    expect(body['data']).toEqual(
      asked.map((id) => ({ id: `gen-${id}`, key_hash: id === '2' ? 'key-2' : 'key-1', attempts: 0 })),
    );
    expect(body['key_names']).toEqual({});
    expect(body['total_estimate']).toBe(more === '' ? 5 : undefined);
  },
);

test('shows the beginning of each prompt where it is asked for and stored', async () => {
  const { call, store } = await setUp();
  const previews = async (query: string): Promise<unknown> =>
    ((await call('GET', `/admin/v1/generations?${query}`)).body['data'] as object[]).map((row) => Object.values(row));
  expect(await previews('fields=id,prompt_preview&limit=4')).toEqual([
    ['gen-4', 'Question: herons'],
    ['gen-3', 'Question: FLAMINGO again'],
    ['gen-2', 'Question: pelicans'],
    ['gen-1', null],
  ]);
  await store.generations.deleteContent('gen-4');
  expect(await previews('fields=prompt_preview&sort=time&order=desc&limit=2')).toEqual([
    [null],
    ['Question: FLAMINGO again'],
  ]);
  expect(await previews('fields=id,prompt_preview&id=gen-3')).toEqual([['gen-3', 'Question: FLAMINGO again']]);
  const { body } = await call('GET', '/admin/v1/generations?limit=1');
  expect((body['data'] as object[])[0]).not.toHaveProperty('prompt_preview');
});

test('takes conditions on any field, in lists, counts and exports', async () => {
  const { call, ids } = await setUp();
  const where = (line: string): string => `where=${encodeURIComponent(line)}`;
  expect(await ids(`?${where('-status:ok')}`)).toBe('3 1');
  expect(await ids(`?${where('user:ada')}`)).toBe('0');
  expect(await ids(`?${where('member:u1 model:acme/*')}`)).toBe('2');
  expect(await ids(`?${where('-status:ok')}&sort=time&order=asc`)).toBe('1 3');
  expect(await ids(`?${where('-status:ok')}&text=flamingo`)).toBe('3');
  const { body } = await call('GET', `/admin/v1/generations/histogram?facets=true&${where('-status:ok')}`);
  expect(body['facets']).toMatchObject({ total: 2 });
  const refused = await call('GET', `/admin/v1/generations?${where('nonsense')}`);
  expect(refused).toMatchObject({
    status: 400,
    body: { error: { metadata: { issues: [{ path: 'where', message: expect.stringContaining('at character 1') }] } } },
  });
});

test('shows the number of attempts, in lists and in exports', async () => {
  const admin = await setUp();
  const generation = { provider_responses: [{ status: 503 }, { status: 200 }] };
  await admin.store.generations.append(toRecord('gen-5', { generation, principalId: 'key-3' }), null);
  const { body } = await admin.call('GET', '/admin/v1/generations?key=key-3,key-2');
  expect(body['data']).toEqual([
    expect.objectContaining({ id: 'gen-5', attempts: 2, provider_responses: generation.provider_responses }),
    expect.objectContaining({ id: 'gen-2', attempts: 0, provider_responses: null }),
  ]);
  expect(JSON.parse((await exportText(admin, 'key=key-3')).text)).toMatchObject({ id: 'gen-5', attempts: 2 });
  const [head = '', line = ''] = (await exportText(admin, 'format=csv&key=key-3')).text.split('\r\n');
  expect(line.split(',')[head.split(',').indexOf('attempts')]).toBe('2');
});

test('names the keys of a page, those of the configuration and those that were issued', async () => {
  const { call, dataOf, platform, store } = createAdminGateway();
  const { hash } = await dataOf('POST', '/keys', { name: 'batch' });
  const configured = String(await platform.sha256(API_KEY));
  for (const [index, principalId] of [hash, configured, 'gone', hash].entries()) {
    await store.generations.append(toRecord(`gen-${index}`, { principalId }), null);
  }
  const { body } = await call('GET', '/admin/v1/generations');
  expect(body['key_names']).toEqual({ [hash]: 'batch', [configured]: 'dev' });
});

test.each([
  ['', '4 3 2 1 0'],
  ['?status=failed', '1'],
  ['?status=failed,cancelled', '3 1'],
  ['?model=acme/other', '2'],
  ['?provider=beta', '4'],
  ['?provider=Beta', '4'],
  ['?session=s1', '3'],
  ['?session=none', '4 2 1 0'],
  ['?member=u1', '2'],
  ['?member=u1,none', '4 3 2 1 0'],
  ['?app=none', '4 3 2 1 0'],
  ['?provider=none', ''],
  [`?from=${at(3)}`, '4 3'],
  [`?to=${at(1)}`, '0'],
  [`?from=2026-01-02T03:01:00%2B01:00&to=${at(2)}`, '1'],
  ['?min_cost=0.001', '1 0'],
  ['?min_cost=0.0015&max_cost=0.002', '1'],
  ['?max_cost=0', ''],
  ['?text=GEN-3', '3'],
  ['?text=ada', '0'],
  ['?text=flamingo', '3 0'],
  ['?text=flamingo&status=ok', '0'],
  ['?id=gen-0,gen-3,gone,gen-3', '3 0'],
  // Words that the JSON of every content contains are not searched.
  ['?text=user', ''],
])('finds with %s', async (query, expected) => {
  const { ids } = await setUp();
  expect(await ids(query)).toBe(expected);
});

test.each([
  ['?limit=0', 'limit'],
  ['?limit=201', 'limit'],
  ['?status=ok,odd', 'status'],
  ['?from=yesterday', 'from'],
  ['?min_cost=-1', 'min_cost'],
  ['?cursor=%F0%9F', 'cursor'],
  ['?text=x', 'text'],
  ['?id=gen-1&text=flamingo', 'id'],
  ['?id=gen-1&status=ok', 'id'],
  ['?colour=red', 'colour'],
  ['?fields=id,colour', 'fields.1: "colour" is not a known field'],
  ['?fields=id,toString', 'fields.1: "toString" is not a known field'],
  ['?fields=', 'fields'],
  ['?fields=,', 'fields'],
  ['?fields=colour&id=gen-1', 'fields.0: "colour" is not a known field'],
])('refuses %s and says where it is wrong', async (query, field) => {
  const { call } = await setUp();
  const { status, body } = await call('GET', `/admin/v1/generations${query}`);
  expect([status, (body['error'] as { message: string }).message]).toEqual([400, expect.stringContaining(field)]);
});

test.each(['', '&status=ok,failed,cancelled', '&text=gen-'])(
  'leads from page to page by its cursor %s',
  async (more) => {
    const { call, platform } = await setUp();
    const seen: string[][] = [];
    let cursor = '';
    do {
      const asked = call('GET', `/admin/v1/generations?limit=2${more}${cursor}`);
      await platform.advance(100);
      const body = (await asked).body as { data: { id: string }[]; next_cursor: string | null };
      seen.push(body.data.map(({ id }) => id));
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
      expect(cursor).not.toContain('gen-');
    } while (cursor !== '');
    expect(seen).toEqual([['gen-4', 'gen-3'], ['gen-2', 'gen-1'], ['gen-0']]);
  },
);

test('estimates the total only where no filter narrows the list', async () => {
  const { call } = await setUp();
  expect((await call('GET', '/admin/v1/generations?limit=1')).body['total_estimate']).toBe(5);
  expect((await call('GET', '/admin/v1/generations?status=ok')).body).not.toHaveProperty('total_estimate');
});

test('reads no more contents for a page than it may, and goes on where it ended', async () => {
  const { call, store, platform } = createAdminGateway();
  for (let index = 0; index < 700; index += 1) {
    await store.generations.append(toRecord(`gen-${index}`), toContent(index === 10 ? 'needle' : 'hay'));
  }
  const search = async (cursor: string) => {
    const asked = call('GET', `/admin/v1/generations?text=needle${cursor}`);
    await platform.advance(1000);
    return (await asked).body as {
      data: { id: string }[];
      next_cursor: string | null;
      searched: { records: number; back_to: string };
    };
  };
  const first = await search('');
  expect([first.data, first.searched]).toEqual([[], { records: 500, back_to: expect.stringMatching(/Z$/) }]);
  const second = await search(`&cursor=${first.next_cursor}`);
  expect([second.data.map(({ id }) => id), second.next_cursor]).toEqual([['gen-10'], null]);
  expect(second.searched.records).toBe(200);
});

test('reports the extent of a text search only where there was one', async () => {
  const { call } = await setUp();
  expect((await call('GET', '/admin/v1/generations?text=flamingo')).body['searched']).toEqual({
    records: 5,
    back_to: at(0),
  });
  expect((await call('GET', '/admin/v1/generations')).body).not.toHaveProperty('searched');
});

test('counts what each value would leave under the other filters, the commonest first', async () => {
  const { call } = await setUp();
  const span = `from=${at(0)}&to=${at(6)}&buckets=1&facets=true`;
  const facets = async (more: string) =>
    (await call('GET', `/admin/v1/generations/histogram?${span}${more}`)).body['facets'] as Record<string, unknown>;
  expect(await facets('')).toEqual({
    total: 5,
    status: [
      { value: 'ok', requests: 3 },
      { value: 'cancelled', requests: 1 },
      { value: 'failed', requests: 1 },
    ],
    model: [
      { value: 'acme/chat-1', requests: 4 },
      { value: 'acme/other', requests: 1 },
    ],
    provider: [
      { value: 'Acme', requests: 4 },
      { value: 'Beta', requests: 1 },
    ],
    key: [
      { value: 'key-1', requests: 4 },
      { value: 'key-2', requests: 1 },
    ],
  });
  const failed = await facets('&status=failed&provider=Acme');
  expect(failed).toMatchObject({ total: 1, model: [{ value: 'acme/chat-1', requests: 1 }] });
  // The facet of a filter's own field is not narrowed by that filter, so that a user can choose another value.
  expect(failed['status']).toEqual([
    { value: 'ok', requests: 2 },
    { value: 'cancelled', requests: 1 },
    { value: 'failed', requests: 1 },
  ]);
  expect(failed['provider']).toEqual([{ value: 'Acme', requests: 1 }]);
  expect((await call('GET', '/admin/v1/generations/histogram')).body).not.toHaveProperty('facets');
});

async function exportText({ gateway }: AdminGateway, query: string): Promise<{ text: string; type: string }> {
  const response = await gateway.handle({
    method: 'GET',
    path: '/admin/v1/generations/export',
    query,
    headers: { authorization: `Bearer ${MANAGEMENT_KEY}` },
    baseUrl: '',
    signal: new AbortController().signal,
    ...bodyOf(),
  });
  if (response.status !== 200) return { text: '', type: `${response.status}` };
  return { text: await readFrames(response).rest(), type: response.headers['content-type'] ?? '' };
}

test('exports as NDJSON, with contents on request', async () => {
  const admin = await setUp();
  const plain = await exportText(admin, 'status=ok');
  const lines = plain.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(plain.type).toBe('application/x-ndjson');
  expect(lines.map(({ id, status, content }) => [id, status, content])).toEqual([
    ['gen-4', 'ok', undefined],
    ['gen-2', 'ok', undefined],
    ['gen-0', 'ok', undefined],
  ]);
  const { text } = await exportText(admin, 'status=ok,failed&content=true&model=acme/chat-1');
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { content: unknown }).content),
  ).toEqual([toContent('herons'), null, toContent('Flamingos')]);
});

test('exports CSV in which nothing is a formula, and every field is where its name is', async () => {
  const admin = await setUp();
  const generation = { created_at: at(5), external_user: '=HYPERLINK("x")', session_id: 'a,b\n"c"', user_agent: '-1' };
  await admin.store.generations.append(toRecord('gen-5', { generation }), null);
  const { text, type } = await exportText(admin, 'format=csv&from=' + at(5));
  expect(type).toBe('text/csv; charset=utf-8');
  const [head = ''] = text.split('\r\n');
  expect(head.split(',').slice(0, 3)).toEqual(['id', 'created_at', 'status']);
  expect(text).toContain(`"'=HYPERLINK(""x"")","a,b\n""c""",,true,stop`);
  expect(text.endsWith(`,,'-1\r\n`)).toBe(true);
  expect((await exportText(admin, 'format=csv&content=true')).type).toBe('400');
});

test('exports the fee and the bill of a call with an own key as CSV, and leaves both empty for others', async () => {
  const admin = await setUp();
  const own = { created_at: at(6), is_byok: true, total_cost: 0.005, byok_fee: 0.005, upstream_inference_cost: 0.1 };
  await admin.store.generations.append(toRecord('gen-5', { generation: { created_at: at(5) } }), null);
  await admin.store.generations.append(toRecord('gen-6', { generation: own, costNanoUsd: 105_000_000 }), null);
  const [names, ...rows] = (await exportText(admin, `format=csv&from=${at(5)}`)).text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  const costs = ['id', 'total_cost', 'is_byok', 'byok_fee', 'upstream_inference_cost'];
  expect(rows.map((row) => costs.map((name) => row[names?.indexOf(name) ?? -1]))).toEqual([
    ['gen-6', '0.005', 'true', '0.005', '0.1'],
    ['gen-5', expect.any(String), 'false', '', ''],
  ]);
});

test('exports name the keys, as far as they have names', async () => {
  const admin = await setUp();
  const { hash } = await admin.dataOf('POST', '/keys', { name: '=Team, "A"' });
  const append = (id: string, principalId: string) =>
    admin.store.generations.append(toRecord(id, { principalId, generation: { created_at: at(6) } }), null);
  await append('gen-6', hash);
  const { text } = await exportText(admin, `from=${at(6)}`);
  expect(JSON.parse(text)).toMatchObject({ id: 'gen-6', key_hash: hash, key_name: '=Team, "A"' });
  const csv = (await exportText(admin, `format=csv&from=${at(6)}`)).text.split('\r\n');
  expect(csv[0]).toContain(',key_hash,key_name,');
  expect(csv[1]).toContain(`,${hash},"'=Team, ""A""",`);
  await append('gen-7', 'gone');
  const [line = ''] = (await exportText(admin, `from=${at(6)}`)).text.split('\n');
  expect(JSON.parse(line)).toMatchObject({ id: 'gen-7', key_hash: 'gone', key_name: null });
});

test('exports only as fast as the client reads', async () => {
  const { gateway, store } = createAdminGateway();
  for (let index = 0; index < 1000; index += 1) await store.generations.append(toRecord(`gen-${index}`), null);
  const client = new AbortController();
  const response = await gateway.handle({
    method: 'GET',
    path: '/admin/v1/generations/export',
    query: '',
    headers: { authorization: `Bearer ${MANAGEMENT_KEY}` },
    baseUrl: '',
    signal: client.signal,
    ...bodyOf(),
  });
  const frames = readFrames(response);
  const first = await frames.next();
  expect(first?.trimEnd().split('\n').length).toBe(200);
  client.abort();
  expect(await frames.next()).toBeUndefined();
});

test('makes a deleted content unreadable at once and keeps the record', async () => {
  const { call, ids, store } = await setUp();
  expect(await call('DELETE', '/admin/v1/generations/gen-0')).toEqual({ status: 200, body: { deleted: true } });
  expect((await call('GET', '/generation/content?id=gen-0')).status).toBe(404);
  expect((await call('GET', '/generation?id=gen-0')).status).toBe(200);
  expect(await ids('?text=flamingo')).toBe('3');
  expect(await store.generations.spentNanoUsd('key-1')).toBeGreaterThan(0);
  expect((await call('DELETE', '/admin/v1/generations/gen-0')).status).toBe(404);
  expect((await call('DELETE', '/admin/v1/generations/gen-x')).status).toBe(404);
});
