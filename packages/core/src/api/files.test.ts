import { expect, test } from 'vitest';

import { jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createFileGateway } from '../../../../test/support/gateways/file-gateway.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { StoredFileList } from '../wire/files.ts';

const PNG = '\x89PNG\r\n\x1a\n';
const PATH = '/api/v1/files';
const HOUR_MS = 60 * 60 * 1000;

const idOf = (response: GatewayResponse): string => String((jsonOf(response) as { id: string }).id);

const messageOf = (response: GatewayResponse): string =>
  (jsonOf(response) as { error: { message: string } }).error.message;

async function textOf({ body }: GatewayResponse): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces).toString('latin1');
}

test('an uploaded file is described by what it is, and deleted for good', async () => {
  const { call, upload } = createFileGateway();
  const made = await upload(`${PNG}rest`, { filename: 'C:\\pictures\\häuser "1".pdf' });
  const id = idOf(made);
  const file = {
    _shape: 'openrouter',
    id: expect.stringMatching(/^or_file_[0-9a-f]{32}$/) as string,
    type: 'file',
    filename: 'häuser "1".pdf',
    mime_type: 'image/png',
    size_bytes: 12,
    created_at: '2026-01-02T03:04:05.000Z',
    downloadable: false,
  };
  expect([made.status, jsonOf(made)]).toEqual([200, file]);
  expect(jsonOf(await call('GET', `${PATH}/${id}`))).toEqual(file);
  expect(jsonOf(await call('DELETE', `${PATH}/${id}`))).toEqual({ _shape: 'openrouter', id, type: 'file_deleted' });
  for (const [method, path] of [
    ['GET', `${PATH}/${id}`],
    ['GET', `${PATH}/${id}/content`],
    ['DELETE', `${PATH}/${id}`],
  ] as const) {
    expect((await call(method, path)).status).toBe(404);
  }
});

test('each client gets a file in the shape that it reads', async () => {
  const { call, upload } = createFileGateway();
  const fields = { purpose: 'batch', 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '3600' };
  const id = idOf(await upload('{"a":1}\n{"a":2}\n', { filename: 'in.jsonl', fields }));
  const seconds = Date.parse('2026-01-02T03:04:05Z') / 1000;
  const openAi = {
    _shape: 'openai',
    id,
    object: 'file',
    bytes: 16,
    created_at: seconds,
    expires_at: seconds + 3600,
    filename: 'in.jsonl',
    purpose: 'batch',
    status: 'processed',
  };
  const anthropic = {
    _shape: 'anthropic',
    id,
    type: 'file',
    filename: 'in.jsonl',
    mime_type: 'application/x-ndjson',
    size_bytes: 16,
    created_at: '2026-01-02T03:04:05.000Z',
    downloadable: false,
  };
  const shapes = [
    [{ 'user-agent': 'OpenAI/JS 6.1.0' }, openAi],
    [{ 'user-agent': 'AsyncOpenAI/Python 2.0.0' }, openAi],
    [{ 'anthropic-version': '2023-06-01' }, anthropic],
    [{ 'anthropic-beta': 'files-api-2025-04-14' }, anthropic],
    [{}, { ...anthropic, _shape: 'openrouter', expires_at: '2026-01-02T04:04:05.000Z' }],
  ] as const;
  for (const [headers, file] of shapes) {
    expect(jsonOf(await call('GET', `${PATH}/${id}`, { headers }))).toEqual(file);
    const page = { has_more: false, first_id: id, last_id: id };
    expect(jsonOf(await call('GET', PATH, { headers }))).toEqual({
      _shape: file._shape,
      data: [file],
      ...page,
      ...(file._shape === 'openai' && { object: 'list' }),
      ...(file._shape === 'openrouter' && { cursor: null }),
      ...(file._shape === 'anthropic' && { next_page: null }),
    });
  }
  const { 'user-agent': agent } = shapes[0][0];
  const deleted = await call('DELETE', `${PATH}/${id}`, { headers: { 'user-agent': agent } });
  expect(jsonOf(deleted)).toEqual({ _shape: 'openai', id, object: 'file', deleted: true });
});

test('pages of files follow one another by cursor and by id, in either order, also after a deletion', async () => {
  const { call, platform, upload } = createFileGateway();
  const ids: string[] = [];
  for (let at = 0; at < 5; at += 1) {
    ids.push(idOf(await upload('text', at === 4 ? { fields: { purpose: 'vision' } } : {})));
    await platform.advance(1000);
  }
  const list = async (query: string) => {
    const page = jsonOf(await call('GET', `${PATH}?${query}`)) as {
      data: { id: string }[];
      has_more: boolean;
      cursor?: string | null;
    };
    return { ids: page.data.map(({ id }) => id), more: page.has_more, cursor: page.cursor ?? '' };
  };
  const first = await list('limit=2');
  expect(first).toMatchObject({ ids: ids.slice(0, 2), more: true });
  await call('DELETE', `${PATH}/${ids[1]}`);
  const second = await list(`limit=2&cursor=${encodeURIComponent(first.cursor)}`);
  expect(second).toMatchObject({ ids: ids.slice(2, 4), more: true });
  expect(await list(`cursor=${encodeURIComponent(second.cursor)}`)).toEqual({ ids: [ids[4]], more: false, cursor: '' });
  expect(await list(`after_id=${ids[3]}`)).toMatchObject({ ids: [ids[4]] });
  expect(await list(`after=${ids[3]}&order=desc`)).toMatchObject({ ids: [ids[2], ids[0]] });
  expect(await list('purpose=vision')).toMatchObject({ ids: [ids[4]] });
  for (const query of ['limit=0', 'limit=1001', 'cursor=x', 'after=x', 'before_id=x', 'order=up', 'provider=openai']) {
    expect([query, (await call('GET', `${PATH}?${query}`)).status]).toEqual([query, 400]);
  }
});

test('a workspace does not see the files of another, and management names the one it means', async () => {
  const gateway = createFileGateway();
  const { call, upload, store } = gateway;
  const make = async (path: string, body: object): Promise<Record<string, Record<string, string> & string>> => {
    const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
    return jsonOf(await gateway.post(path, body, { headers })) as Record<string, Record<string, string> & string>;
  };
  const { data: workspace } = await make('/api/v1/workspaces', { name: 'Other', slug: 'other' });
  const { key } = await make('/api/v1/keys', { name: 'theirs', workspace_id: workspace?.['id'] });
  const mine = idOf(await upload('mine'));
  const theirs = idOf(await upload('theirs', { key: String(key) }));
  expect((await call('GET', `${PATH}/${mine}`, { key: String(key) })).status).toBe(404);
  expect((await call('DELETE', `${PATH}/${theirs}`)).status).toBe(404);
  expect((await call('GET', `${PATH}?workspace_id=${workspace?.['id']}`)).status).toBe(403);
  const other = { key: MANAGEMENT_KEY };
  expect((await call('GET', `${PATH}/${theirs}`, other)).status).toBe(404);
  expect((await call('GET', `${PATH}/${theirs}?workspace_id=${workspace?.['id']}`, other)).status).toBe(200);
  expect((await call('GET', `${PATH}?workspace_id=nowhere`, other)).status).toBe(400);
  expect(await store.files.list()).toHaveLength(2);
});

test('an uploaded file comes back only where the operator allows that', async () => {
  const closed = createFileGateway();
  const refused = await closed.call('GET', `${PATH}/${idOf(await closed.upload('text'))}/content`);
  expect([refused.status, messageOf(refused)]).toEqual([
    400,
    'Uploaded files cannot be downloaded; only generated files can',
  ]);
  const open = createFileGateway({ downloadsUploads: true });
  const id = idOf(await open.upload('a,b\n1,2\n', { filename: "it's (1).csv" }));
  const response = await open.call('GET', `${PATH}/${id}/content`);
  expect(response.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': '8',
    'content-disposition': "attachment; filename*=UTF-8''it%27s%20%281%29.csv",
    'x-content-type-options': 'nosniff',
  });
  expect(await textOf(response)).toBe('a,b\n1,2\n');
});

test('what is empty, too large, unknown or no file is refused, and leaves nothing', async () => {
  const { call, platform, store, storage, upload, gateway } = createFileGateway({ maxBytes: 10 });
  for (const [content, status, message] of [
    ['', 400, 'must not be empty'],
    ['x'.repeat(11), 413, 'larger than 10 bytes'],
    ['\xff\xfe\x00\x01', 400, 'nor UTF-8 text'],
    ['MZ\x90\x00', 400, 'nor UTF-8 text'],
    ['PK\x03\x04abc', 400, 'ZIP file without a document'],
  ] as const) {
    const refused = await upload(content);
    expect([content, refused.status, messageOf(refused)]).toEqual([
      content,
      status,
      expect.stringContaining(message) as string,
    ]);
  }
  for (const fields of [{ purpose: 'batch_output' }, { color: 'red' }, { 'expires_after[seconds]': '5' }] as Record<
    string,
    string
  >[]) {
    expect([fields, (await upload('text', { fields })).status]).toEqual([fields, 400]);
  }
  expect((await call('POST', PATH)).status).toBe(415);
  expect(await store.files.list()).toEqual([]);
  await gateway.start();
  await platform.advance(3 * HOUR_MS);
  const names: string[] = [];
  await storage.sweep(async () => new Set(names), 0);
});

test('a workspace has room for so many files and bytes', async () => {
  const { call, upload } = createFileGateway({ maxWorkspaceFiles: 2, maxWorkspaceBytes: 8 });
  const id = idOf(await upload('12345'));
  const large = await upload('123456');
  expect([large.status, messageOf(large)]).toEqual([400, expect.stringContaining('8 bytes together') as string]);
  await upload('123');
  const third = await upload('1');
  expect([third.status, messageOf(third)]).toEqual([400, expect.stringContaining('has 2 files') as string]);
  await call('DELETE', `${PATH}/${id}`);
  expect((await upload('12345')).status).toBe(200);
});

test('files that name no time expire after the time of the gateway, and others after their own', async () => {
  const { platform, store, upload } = createFileGateway({ retentionSeconds: 24 * 3600 });
  const usual = idOf(await upload('usual'));
  const own = idOf(await upload('own', { fields: { purpose: 'user_data', 'expires_after[seconds]': '3600' } }));
  const expiryOf = async (id: string) => Date.parse((await store.files.get(id))?.expiresAt ?? '') - platform.now();
  expect([await expiryOf(usual), await expiryOf(own)]).toEqual([24 * HOUR_MS, HOUR_MS]);
});

test('an expired file is gone at once, and its content an hour after nothing refers to it', async () => {
  const { call, gateway, platform, storage, store, upload } = createFileGateway();
  await gateway.start();
  const fields = { purpose: 'user_data', 'expires_after[seconds]': '3600' };
  const id = idOf(await upload('short', { fields }));
  const kept = idOf(await upload('long'));
  const contentOf = async (file: string) => storage.find((await store.files.get(file))?.content ?? '');
  const { content = '' } = (await store.files.get(id)) ?? {};
  await platform.advance(HOUR_MS - 1);
  expect((await call('GET', `${PATH}/${id}`)).status).toBe(200);
  await platform.advance(1);
  expect((await call('GET', `${PATH}/${id}`)).status).toBe(404);
  await platform.advance(2 * HOUR_MS);
  expect(await store.files.get(id)).toBeUndefined();
  expect(await storage.find(content)).toBeUndefined();
  expect(await contentOf(kept)).toBeDefined();
});

test('an administrator sees the files of all workspaces, narrows the list, and deletes any of them', async () => {
  const { call, upload, post } = createFileGateway();
  const made = await post(
    '/api/v1/workspaces',
    { name: 'Other', slug: 'other' },
    { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } },
  );
  const other = (jsonOf(made) as { data: { id: string } }).data.id;
  const first = idOf(await upload('first', { filename: 'Report.txt' }));
  const second = idOf(await upload(`${PNG}second`, { filename: 'b.png', fields: { purpose: 'vision' } }));
  const third = idOf(await upload('third', { key: MANAGEMENT_KEY, query: `?workspace_id=${other}` }));
  const list = async (query = '') => {
    const response = await call('GET', `/admin/v1/files${query}`, { key: MANAGEMENT_KEY });
    return jsonOf(response) as StoredFileList;
  };
  const idsBy = async (query: string): Promise<string[]> => (await list(query)).data.map(({ id }) => id);
  expect(await list()).toMatchObject({
    data: [{ id: third, workspace_id: other }, { id: second }, { id: first, purpose: 'user_data', origin: 'uploaded' }],
    total_count: 3,
    total_bytes: 24,
  });
  expect(await idsBy(`?workspace_id=${other}`)).toEqual([third]);
  expect(await idsBy('?purpose=vision')).toEqual([second]);
  expect(await idsBy('?origin=generated')).toEqual([]);
  expect(await idsBy('?text=rePORT')).toEqual([first]);
  expect(await idsBy(`?text=${second}`)).toEqual([second]);
  expect(await idsBy('?limit=1&offset=1')).toEqual([second]);
  const hash = (await list('?text=report')).data[0]?.key_hash ?? '';
  expect(await idsBy(`?key_hash=${hash}`)).toEqual([second, first]);
  const remove = () => call('DELETE', `/admin/v1/files/${third}`, { key: MANAGEMENT_KEY });
  expect(jsonOf(await remove())).toEqual({ deleted: true });
  expect((await remove()).status).toBe(404);
  expect(await idsBy('')).toEqual([second, first]);
});
