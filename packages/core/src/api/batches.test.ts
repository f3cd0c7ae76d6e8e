import { setImmediate } from 'node:timers/promises';

import type { CreateRateCounter } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { until } from '../../../../test/support/async/until.ts';
import { API_KEY, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createFileGateway, type FileGateway } from '../../../../test/support/gateways/file-gateway.ts';
import {
  createScriptedTransport,
  type ScriptedExchange,
  type ScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Batch, BatchResult, BatchRowList } from '../wire/batches.ts';

const PATH = '/api/v1/batches';
const DAY_MS = 24 * 60 * 60 * 1000;
const CHAT = '/v1/chat/completions';

const askedBy = ({ sent }: ScriptedExchange): string => (sent['messages'] as { content: string }[])[0]?.content ?? '';

/** Answers with what it was asked, for 1 prompt token and as many completion tokens as the question has characters. */
function answer(exchange: ScriptedExchange): void {
  const text = askedBy(exchange);
  exchange.respond(200, { 'content-type': 'application/json' });
  exchange.push(
    JSON.stringify({
      id: 'c',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: `Answer to ${text}` }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: text.length, total_tokens: 1 + text.length },
    }),
  );
  exchange.end();
}

const toLine = (id: string, body: object = {}): string =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: CHAT,
    body: { model: 'acme/chat', messages: [{ role: 'user', content: id }], provider: { sort: 'price' }, ...body },
  });

interface BatchGateway extends FileGateway {
  readonly upstream: ScriptedTransport;
  begin(lines: readonly string[], more?: object): Promise<Batch>;
  read(id: string): Promise<Batch>;
  ended(id: string): Promise<Batch>;
  linesOf(fileId: string | null): Promise<BatchResult[]>;
}

function createBatchGateway(
  onCall: (exchange: ScriptedExchange) => void = answer,
  options: Parameters<typeof createFileGateway>[2] = {},
  files: Parameters<typeof createFileGateway>[0] = {},
): BatchGateway {
  const upstream = createScriptedTransport(onCall);
  const gateway = createFileGateway(files, upstream, options);
  const read = async (id: string): Promise<Batch> => jsonOf(await gateway.call('GET', `${PATH}/${id}`)) as Batch;
  return {
    ...gateway,
    upstream,
    read,
    async begin(lines, more = {}) {
      const file = jsonOf(await gateway.upload(lines.join('\n'), { fields: { purpose: 'batch' } })) as { id: string };
      const asked = { input_file_id: file.id, endpoint: CHAT, completion_window: '24h', ...more };
      return jsonOf(await gateway.post(PATH, asked)) as Batch;
    },
    async ended(id) {
      const find = async (): Promise<Batch | undefined> => {
        const batch = await read(id);
        return ['completed', 'failed', 'cancelled', 'expired'].includes(batch.status) ? batch : undefined;
      };
      return until(find, async () => `The batch ${id} does not end: ${JSON.stringify(await read(id))}`);
    },
    async linesOf(fileId) {
      const { body } = await gateway.call('GET', `/api/v1/files/${fileId}/content`);
      const pieces: Uint8Array[] = [];
      for await (const piece of body as AsyncIterable<Uint8Array>) pieces.push(piece);
      return Buffer.concat(pieces)
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as BatchResult);
    },
  };
}

/** Its files cannot be read once, or one of them. Returns whether that has been tried. */
function loseOnce(store: FileGateway['store'], lost?: string): () => boolean {
  const { files } = store;
  const get = files.get.bind(files);
  let isLost = false;
  const fail = async (id: string) => {
    if (isLost || (lost !== undefined && id !== lost)) return get(id);
    isLost = true;
    throw new GatewayError('provider_overloaded', 'The store is away');
  };
  Object.assign(files, { get: fail });
  return () => isLost;
}

const idsOf = (lines: readonly BatchResult[]): string[] => lines.map(({ custom_id: id }) => id);

test('the results of a batch expire after the time that the gateway keeps files', async () => {
  const { begin, ended, store } = createBatchGateway(answer, {}, { retentionSeconds: 24 * 3600 });
  const { id } = await begin([toLine('a')]);
  const { output_file_id: output } = await ended(id);
  const file = await store.files.get(output ?? '');
  expect(Date.parse(file?.expiresAt ?? '') - Date.parse(file?.createdAt ?? '')).toBe(24 * 3600 * 1000);
});

test('a batch makes the calls of a file, each recorded and paid, and gives the results back as files', async () => {
  const { begin, ended, linesOf, store } = createBatchGateway();
  const made = await begin([toLine('a'), toLine('bb'), '', toLine('c', { model: 'acme/unknown' })], {
    metadata: { team: 'x' },
  });
  expect(made).toMatchObject({ object: 'batch', endpoint: CHAT, status: 'validating', metadata: { team: 'x' } });
  const batch = await ended(made.id);
  expect(batch).toMatchObject({
    status: 'completed',
    request_counts: { total: 3, completed: 2, failed: 1 },
    errors: null,
    expires_at: made.created_at + DAY_MS / 1000,
  });
  const output = await linesOf(batch.output_file_id);
  expect(idsOf(output)).toEqual(['a', 'bb']);
  expect(output[1]).toMatchObject({
    response: { status_code: 200, body: { choices: [{ message: { content: 'Answer to bb' } }] } },
    error: null,
  });
  expect(await linesOf(batch.error_file_id)).toMatchObject([{ custom_id: 'c', response: { status_code: 400 } }]);
  // 1 and 2 completion tokens at 2 millionths of a dollar, two prompt tokens at one.
  expect(batch.cost).toBe(0.000008);
  const ids = output.map(({ response }) => response?.request_id ?? '');
  const costs = await Promise.all(ids.map(async (id) => (await store.generations.get(id))?.costNanoUsd));
  expect(costs).toEqual([3000, 5000]);
  expect((await store.batches.list()).map(({ kind }) => kind)).toEqual(['batch']);
});

test('a file with a wrong line fails the batch before any call, and says which lines are wrong', async () => {
  const { begin, read, upstream } = createBatchGateway();
  const { id } = await begin([
    toLine('a'),
    '{',
    toLine('a'),
    '{"custom_id":"b","url":"/v1/embeddings","body":{}}',
    '{"custom_id":"","url":"/v1/chat/completions","body":{}}',
  ]);
  const batch = await read(id);
  expect(batch).toMatchObject({ status: 'failed', output_file_id: null, request_counts: { total: 0 } });
  expect(batch.errors?.data.map(({ code, line }) => [code, line])).toEqual([
    ['invalid_json_line', 2],
    ['duplicate_custom_id', 3],
    ['invalid_url', 4],
    ['invalid_request', 5],
  ]);
  expect(upstream.exchanges).toEqual([]);
});

test('requests that are sent with the batch come back in it', async () => {
  const gateway = createBatchGateway();
  const requests = ['a', 'b'].map((custom_id) => ({
    custom_id,
    body: { messages: [{ role: 'user', content: custom_id }] },
  }));
  const made = await gateway.post('/api/beta/batches', { endpoint: CHAT, model: 'acme/chat', requests });
  const { id, results } = jsonOf(made) as Batch & { results: unknown };
  expect([made.status, results]).toEqual([202, null]);
  await gateway.ended(id);
  const batch = jsonOf(await gateway.call('GET', `/api/beta/batches/${id}`));
  expect(batch).toMatchObject({
    status: 'completed',
    results: ['a', 'b'].map((custom_id) => ({
      custom_id,
      response: { body: { choices: [{ message: { content: `Answer to ${custom_id}` } }] } },
    })),
  });
});

test('a host of a region refuses a batch, whose texts would be kept', async () => {
  const gateway = createBatchGateway(answer, { regions: [{ name: 'eu', hosts: ['eu.gateway.example'] }] });
  const requests = [{ custom_id: 'a', body: { model: 'acme/chat', messages: [{ role: 'user', content: 'a' }] } }];
  const ask = (path: string, body: object) => gateway.post(path, body, { baseUrl: 'https://eu.gateway.example' });
  const inline = await ask('/api/beta/batches', { endpoint: CHAT, requests });
  const ofFile = await ask(PATH, { input_file_id: 'file-1', endpoint: CHAT, completion_window: '24h' });
  expect([inline.status, ofFile.status]).toEqual([400, 400]);
  expect(JSON.stringify(jsonOf(inline))).toContain('Hosts of a region (eu) run no batches');
});

test('requests that are sent with a batch need room in the workspace, too', async () => {
  const gateway = createBatchGateway(answer, {}, { maxWorkspaceFiles: 1 });
  await gateway.upload('x');
  const requests = [{ custom_id: 'a', body: { model: 'acme/chat', messages: [{ role: 'user', content: 'a' }] } }];
  const made = await gateway.post('/api/beta/batches', { endpoint: CHAT, requests });
  expect(made.status).toBe(400);
  expect(JSON.stringify(jsonOf(made))).toContain('the workspace has 1 files');
});

test('only so many lines are under way at once, and a cancelled batch makes no further calls', async () => {
  const held: ScriptedExchange[] = [];
  const { begin, call, ended, linesOf, upstream } = createBatchGateway((exchange) => void held.push(exchange));
  const { id } = await begin(Array.from({ length: 20 }, (_, at) => toLine(`line ${at}`)));
  while (held.length < 8) await setImmediate();
  const cancelled = jsonOf(await call('POST', `${PATH}/${id}/cancel`));
  expect(cancelled).toMatchObject({ status: 'cancelling' });
  for (const exchange of held) answer(exchange);
  const batch = await ended(id);
  expect(batch).toMatchObject({ status: 'cancelled', request_counts: { total: 20, completed: 8, failed: 0 } });
  expect(upstream.exchanges).toHaveLength(8);
  expect(await linesOf(batch.output_file_id)).toHaveLength(8);
  const missing = await linesOf(batch.error_file_id);
  expect(missing).toHaveLength(12);
  expect(missing[0]).toMatchObject({ response: null, error: { code: 'batch_cancelled' } });
  expect((await call('POST', `${PATH}/${id}/cancel`)).status).toBe(200);
});

test('a batch that is not done within a day expires with what it has', async () => {
  const held: ScriptedExchange[] = [];
  const { begin, ended, linesOf, platform, store } = createBatchGateway((exchange) => void held.push(exchange));
  const { id } = await begin(Array.from({ length: 10 }, (_, at) => toLine(`line ${at}`)));
  while (held.length < 8) await setImmediate();
  // As if a day had passed, in which upstream was silent.
  await store.batches.update(id, (row) => ({ ...row, expiresAt: platform.now() }));
  for (const exchange of held) answer(exchange);
  const batch = await ended(id);
  expect(batch).toMatchObject({ status: 'expired', request_counts: { total: 10, completed: 8 } });
  expect((await linesOf(batch.error_file_id)).map(({ error }) => error?.code)).toEqual([
    'batch_expired',
    'batch_expired',
  ]);
});

test('a batch belongs to the workspace of its key, whose limit its lines keep', async () => {
  const gateway = createBatchGateway();
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const make = async (path: string, body: object) =>
    jsonOf(await gateway.post(path, body, { headers })) as { key: string; data: { id: string } };
  const { data: workspace } = await make('/api/v1/workspaces', { name: 'Other', slug: 'other' });
  const { key } = await make('/api/v1/keys', { name: 'poor', limit: 0, workspace_id: workspace.id });
  const { id } = await gateway.begin([toLine('a')]);
  await gateway.ended(id);
  const theirs = { key };
  expect((await gateway.call('GET', `${PATH}/${id}`, theirs)).status).toBe(404);
  expect((await gateway.call('POST', `${PATH}/${id}/cancel`, theirs)).status).toBe(404);
  expect(jsonOf(await gateway.call('GET', PATH, theirs))).toMatchObject({ data: [], has_more: false });
  expect(jsonOf(await gateway.call('GET', PATH, { key: API_KEY }))).toMatchObject({ data: [{ id }], first_id: id });
  const request = { headers: { authorization: `Bearer ${key}` } };
  const requests = [{ custom_id: 'a', body: { messages: [{ role: 'user', content: 'a' }], max_tokens: 5 } }];
  const inline = await gateway.post('/api/beta/batches', { endpoint: CHAT, model: 'acme/chat', requests }, request);
  const { id: poor } = jsonOf(inline) as Batch;
  for (;;) {
    const batch = jsonOf(await gateway.call('GET', `/api/beta/batches/${poor}`, theirs)) as Batch;
    if (batch.status === 'completed') {
      expect(batch).toMatchObject({ results: [{ response: { status_code: 402 } }] });
      break;
    }
    await setImmediate();
  }
});

test('a batch goes on after a restart, and every line has one result', async () => {
  const held: ScriptedExchange[] = [];
  const first = createBatchGateway((exchange) => {
    if (held.length < 5) answer(exchange);
    held.push(exchange);
  });
  const lines = Array.from({ length: 30 }, (_, at) => toLine(`line ${at}`));
  const { id } = await first.begin(lines);
  while ((await first.read(id)).request_counts.completed < 5 || held.length < 13) await setImmediate();
  // The first process is gone with its calls: only its store and its files are left.
  const second = createFileGateway({ storage: first.storage }, createScriptedTransport(answer), {
    recordingStore: first.store,
  });
  // The ids of another process are others.
  Object.assign(second.platform, { randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) });
  await second.gateway.start();
  const batch = await first.ended(id);
  expect(batch.request_counts).toEqual({ total: 30, completed: 30, failed: 0 });
  const output = await first.linesOf(batch.output_file_id);
  expect(idsOf(output)).toEqual(lines.map((_, at) => `line ${at}`));
});

test('a call whose response was lost by a death is made again, and the batch costs what both have cost', async () => {
  const held: ScriptedExchange[] = [];
  const first = createBatchGateway((exchange) => {
    if (askedBy(exchange) === 'held') held.push(exchange);
    else answer(exchange);
  });
  const { id } = await first.begin([toLine('lost'), toLine('held')]);
  while ((await first.read(id)).request_counts.completed < 1 || held.length < 1) await setImmediate();
  // It was recorded, and the process died before it wrote the result.
  const [result] = (await first.store.batches.list()).filter(({ kind }) => kind === 'result');
  await first.store.batches.remove(result?.id ?? '');
  const upstream = createScriptedTransport(answer);
  const second = createFileGateway({ storage: first.storage }, upstream, { recordingStore: first.store });
  await second.gateway.start();
  const batch = await first.ended(id);
  expect(upstream.exchanges.map(askedBy).toSorted()).toEqual(['held', 'lost']);
  expect(batch.request_counts).toEqual({ total: 2, completed: 2, failed: 0 });
  // 1 and 4 tokens, three times.
  expect(batch.cost).toBe(0.000027);
  const output = await first.linesOf(batch.output_file_id);
  const ids = output.map(({ response }) => response?.request_id ?? '');
  const costs = await Promise.all(ids.map(async (one) => (await first.store.generations.get(one))?.costNanoUsd));
  expect([costs, await first.store.generations.count()]).toEqual([[9000, 9000], 3]);
});

test('a process that dies while it clears up a batch leaves the rest of that to the next one', async () => {
  const first = createBatchGateway();
  const { batches } = first.store;
  const remove = batches.remove.bind(batches);
  let removed = 0;
  const die = async (id: string): Promise<boolean> => {
    removed += 1;
    if (removed > 1) throw new Error('killed');
    return remove(id);
  };
  Object.assign(batches, { remove: die });
  const { id } = await first.begin([toLine('a'), toLine('b'), toLine('c')]);
  await until(() => removed === 2);
  expect(await first.read(id)).toMatchObject({ status: 'finalizing', request_counts: { completed: 3 } });
  Object.assign(batches, { remove });
  const second = createFileGateway({ storage: first.storage }, createScriptedTransport(answer), {
    recordingStore: first.store,
  });
  await second.gateway.start();
  const batch = await first.ended(id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { completed: 3 }, error_file_id: null });
  expect(idsOf(await first.linesOf(batch.output_file_id))).toEqual(['a', 'b', 'c']);
  expect((await batches.list()).map(({ kind }) => kind)).toEqual(['batch']);
});

test('a batch waits while what counts its calls is away, and no line fails for it', async () => {
  let refused = 0;
  let isAway = true;
  const take = () => {
    if (!isAway) return Promise.resolve({ isExceeded: false, resetInMs: 0 });
    refused += 1;
    return Promise.reject(new GatewayError('provider_overloaded', 'The counter is away', { retryAfterSeconds: 2 }));
  };
  const createCounter: CreateRateCounter = () => ({ look: take, take, add: () => Promise.resolve() });
  const rules = [{ key: '*', model: '*', requestsPerMinute: 4, tokensPerMinute: null }];
  const gateway = createBatchGateway(answer, { rateLimits: { rules, createCounter } });
  const { id } = await gateway.begin([toLine('a'), toLine('b')]);
  await until(() => refused >= 2);
  expect(await gateway.read(id)).toMatchObject({ status: 'in_progress', request_counts: { completed: 0, failed: 0 } });
  isAway = false;
  await gateway.platform.advance(2000);
  expect(await gateway.ended(id)).toMatchObject({ request_counts: { total: 2, completed: 2, failed: 0 } });
});

test('a store that is away is neither a wrong id nor a batch without results', async () => {
  const { begin, ended, call, post, upload, store } = createBatchGateway();
  const { id } = await ended((await begin([toLine('a')])).id);
  const file = jsonOf(await upload(toLine('b'))) as { id: string };
  loseOnce(store);
  expect((await call('GET', `/api/beta/batches/${id}`)).status).toBe(503);
  expect(jsonOf(await call('GET', `/api/beta/batches/${id}`))).toMatchObject({ results: [{ custom_id: 'a' }] });
  loseOnce(store);
  expect((await post(PATH, { input_file_id: file.id, endpoint: CHAT })).status).toBe(503);
});

test('the files of a batch are written once the store is back that was away, with every line', async () => {
  const held: ScriptedExchange[] = [];
  const { gateway, begin, call, ended, linesOf, platform, store } = createBatchGateway((one) => void held.push(one));
  await gateway.start();
  const { id } = await begin(Array.from({ length: 10 }, (_, at) => toLine(`line ${at}`)));
  while (held.length < 8) await setImmediate();
  const file = (await store.files.list())[0]?.id;
  await call('POST', `${PATH}/${id}/cancel`);
  const lost = loseOnce(store, file);
  for (const exchange of held) answer(exchange);
  await until(lost);
  await platform.advance(10_000);
  const batch = await ended(id);
  expect(await linesOf(batch.error_file_id)).toHaveLength(2);
  const names = (await store.files.list()).map(({ filename }) => filename);
  expect(names).toEqual(['a.txt', 'a_output.jsonl', 'a_error.jsonl']);
});

test.each([
  [{ input_file_id: 'or_file_x' }, 'input_file_id'],
  [{ endpoint: '/v1/videos' }, 'endpoint'],
  [{ completion_window: '1h' }, 'completion_window'],
])('a batch is refused with %j', async (body, field) => {
  const { post, upload } = createBatchGateway();
  const { id } = jsonOf(await upload(toLine('a'))) as { id: string };
  const refused = await post(PATH, { input_file_id: id, endpoint: CHAT, ...body });
  expect([refused.status, JSON.stringify(jsonOf(refused))]).toEqual([400, expect.stringContaining(field) as string]);
});

test('a batch waits for the rate limit of its key, and no line fails for it', async () => {
  // Four calls are admitted, and four more each time that a while has passed.
  let admitted = 4;
  const look = () => Promise.resolve({ isExceeded: admitted < 0, resetInMs: 3000 });
  const take = () => {
    admitted -= 1;
    return look();
  };
  const createCounter: CreateRateCounter = () => ({ look, take, add: () => Promise.resolve() });
  const rules = [{ key: '*', model: '*', requestsPerMinute: 4, tokensPerMinute: null }];
  const gateway = createBatchGateway(answer, { rateLimits: { rules, createCounter } });
  const { id } = await gateway.begin(Array.from({ length: 10 }, (_, at) => toLine(`line ${at}`)));
  while (admitted > -5) await setImmediate();
  for (const completed of [4, 8]) {
    while ((await gateway.read(id)).request_counts.completed < completed) await setImmediate();
    expect(await gateway.read(id)).toMatchObject({ status: 'in_progress', request_counts: { completed, failed: 0 } });
    admitted = 4;
    await gateway.platform.advance(3000);
  }
  expect(await gateway.ended(id)).toMatchObject({ request_counts: { total: 10, completed: 10, failed: 0 } });
});

test('a batch whose key is gone fails, says so, and keeps what was made by then', async () => {
  const held: ScriptedExchange[] = [];
  const first = createBatchGateway((exchange) => {
    if (askedBy(exchange) === 'made') answer(exchange);
    else held.push(exchange);
  });
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const { key, data } = jsonOf(await first.post('/api/v1/keys', { name: 'gone' }, { headers })) as {
    key: string;
    data: { hash: string };
  };
  const requests = ['made', 'bad', 'held'].map((custom_id) => {
    const messages = custom_id === 'bad' ? 'none' : [{ role: 'user', content: custom_id }];
    return { custom_id, body: { messages } };
  });
  const body = { endpoint: CHAT, model: 'acme/chat', requests };
  const made = await first.post('/api/beta/batches', body, { headers: { authorization: `Bearer ${key}` } });
  const { id } = jsonOf(made) as Batch;
  const isMade = async () => (await first.store.batches.list()).filter(({ kind }) => kind === 'result').length === 2;
  while (held.length === 0 || !(await isMade())) await setImmediate();
  await first.call('DELETE', `/api/v1/keys/${data.hash}`, { key: MANAGEMENT_KEY });
  const second = createFileGateway({ storage: first.storage }, createScriptedTransport(answer), {
    recordingStore: first.store,
  });
  await second.gateway.start();
  const batch = await first.ended(id);
  expect(batch).toMatchObject({ status: 'failed', errors: { data: [{ code: 'batch_failed', line: null }] } });
  expect(batch.errors?.data[0]?.message).toContain('The key "gone"');
  expect(batch).toMatchObject({ request_counts: { total: 3, completed: 1, failed: 1 }, cost: 0.000009 });
  expect(idsOf(await first.linesOf(batch.output_file_id))).toEqual(['made']);
  expect(idsOf(await first.linesOf(batch.error_file_id))).toEqual(['bad']);
  const inline = jsonOf(await first.call('GET', `/api/beta/batches/${id}`));
  expect(inline).toMatchObject({ results: [{ custom_id: 'made' }, { custom_id: 'bad' }] });
  expect((await first.store.batches.list()).map(({ kind }) => kind)).toEqual(['batch']);
});

test('an administrator sees the batches of all workspaces, narrows the list, and cancels any of them', async () => {
  const { begin, ended, call, post } = createBatchGateway((exchange) => {
    if (askedBy(exchange) !== 'slow') answer(exchange);
  });
  const done = await ended((await begin([toLine('a')])).id);
  const slow = await begin([toLine('slow')]);
  const list = async (query = '') => {
    const response = await call('GET', `/admin/v1/batches${query}`, { key: MANAGEMENT_KEY });
    return jsonOf(response) as BatchRowList;
  };
  const idsBy = async (query: string): Promise<string[]> => (await list(query)).data.map(({ id }) => id);
  expect(await list()).toMatchObject({
    data: [{ id: slow.id }, { id: done.id, cost: done.cost, workspace_id: expect.any(String) as string }],
    total_count: 2,
  });
  expect(await idsBy('?status=open')).toEqual([slow.id]);
  expect(await idsBy('?status=completed')).toEqual([done.id]);
  expect(await idsBy('?limit=1&offset=1')).toEqual([done.id]);
  expect(await idsBy('?workspace_id=none')).toEqual([]);
  const hash = (await list()).data[0]?.key_hash ?? '';
  expect(await idsBy(`?key_hash=${hash}`)).toEqual([slow.id, done.id]);
  const path = `/admin/v1/batches/${slow.id}`;
  const cancelled = await post(`${path}/cancel`, {}, { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } });
  expect(jsonOf(cancelled)).toMatchObject({ data: { id: slow.id, status: 'cancelling' } });
  expect(jsonOf(await call('GET', path, { key: MANAGEMENT_KEY }))).toMatchObject({ data: { status: 'cancelling' } });
  expect(
    (await post(`/admin/v1/batches/${done.id}/cancel`, {}, { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } }))
      .status,
  ).toBe(409);
  expect((await call('GET', '/admin/v1/batches/none', { key: MANAGEMENT_KEY })).status).toBe(404);
});
