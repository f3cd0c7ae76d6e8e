import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { PRESETS } from '@model-gateway/core/providers/presets';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { listen, loadConfig } from '@model-gateway/node';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { compose, type CompositionOptions } from '../../packages/server/src/compose.ts';
import { writeTestConfig } from '../support/gateways/write-test-config.ts';
import { startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';

const SHIPPED = fileURLToPath(new URL('../../fixtures', import.meta.url));
const KEY = 'sk-canary-api-0123456789';
const MANAGEMENT_KEY = 'sk-canary-management-0123456789';
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

let dir: string;
const closers: (() => unknown)[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'fixture-library-'));
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  rmSync(dir, { recursive: true });
});

interface LibraryResponse {
  readonly status: number;
  readonly body: Record<string, unknown> & { readonly data: Record<string, unknown> };
}

/** Serves a composition on a socket. */
async function start(options: Partial<CompositionOptions>, config: object = {}) {
  const bootstrapKeys = [
    { key: KEY, kind: 'api', name: 'test' },
    { key: MANAGEMENT_KEY, kind: 'management', name: 'admin' },
  ];
  const file = writeTestConfig({ auth: { bootstrapKeys }, store: { type: 'memory' }, ...config });
  const loaded = loadConfig({ file, env: {}, presets: PRESETS });
  const store = createMemoryStore();
  const about = { config: loaded, store, logger, extraKeys: [], demoFixturesDir: null };
  const { gateway, closeAfterwards } = await compose({ ...about, ...options });
  const listener = await listen(gateway, { port: 0, logger });
  closers.push(async () => {
    await gateway.close();
    await listener.close();
    for (const part of closeAfterwards) await part.close();
  });
  const call = async (path: string, body?: object, key = MANAGEMENT_KEY): Promise<LibraryResponse> => {
    const response = await fetch(listener.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as LibraryResponse['body'] };
  };
  const ask = (content: string, rest: object = {}, model = 'acme/one') =>
    call('/api/v1/chat/completions', { model, messages: [{ role: 'user', content }], ...rest }, KEY);
  return { call, ask };
}

/** A case of a provider of its own for one prompt. */
function writeCase(name: string, prompt: string, completion: string): void {
  const folder = join(dir, 'acme', 'chat-completions', name);
  mkdirSync(folder, { recursive: true });
  const write = (file: string, value: object): void => writeFileSync(join(folder, file), JSON.stringify(value));
  write('request.json', { model: 'one', messages: [{ role: 'user', content: prompt }] });
  write('response.json', {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'one',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: completion } }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  });
  write('meta.json', { synthetic: true, date: '2026-11-21', model: 'one', status: 200 });
}

const textOf = ({ body }: LibraryResponse): unknown =>
  (body['choices'] as [{ message: { content: string } }] | undefined)?.[0].message.content;

test('a replay tells what it has, what it was asked in vain, and takes a miss as one more request', async () => {
  writeCase('synthetic-joke', 'Tell me a joke', 'No.');
  writeCase('synthetic-poem', 'Tell me a poem', 'Roses are red.');
  const { call, ask } = await start({ demoFixturesDir: dir, savesFixtures: true });
  expect(textOf(await ask('Tell me a joke'))).toBe('No.');
  for (const _ of [1, 2]) expect((await ask('Tell me two jokes')).status).toBe(404);

  const { body: state } = await call('/admin/v1/fixtures');
  expect(state.data).toEqual({
    mode: 'replay',
    record_at: null,
    dir,
    saves: true,
    cases: 2,
    unused: 1,
    misses: 1,
    sets: [{ name: 'acme/chat-completions', cases: 2, unused: 1 }],
  });
  const { body: used } = await call('/admin/v1/fixtures/cases?set=acme/chat-completions&use=used');
  expect(used).toMatchObject({
    total_count: 1,
    data: [{ path: 'acme/chat-completions/synthetic-joke', model: 'one', used: 1, match: 'exact', chunks: null }],
  });
  const { body: found } = await call('/admin/v1/fixtures/case?path=acme/chat-completions/synthetic-joke');
  expect(found.data).toMatchObject({ request: { model: 'one' }, files: [{ name: 'response.json', status: 200 }] });
  expect((await call('/admin/v1/fixtures/case?path=acme/none')).status).toBe(404);

  const { body: misses } = await call('/admin/v1/fixtures/misses');
  expect(misses).toMatchObject({ total_count: 1 });
  const [miss] = misses.data as unknown as [{ id: string }];
  expect(miss).toMatchObject({ times: 2, prompt: 'Tell me two jokes', differences: 1 });
  expect((await call(`/admin/v1/fixtures/misses/${miss.id}`)).body.data).toMatchObject({
    nearest: 'acme/chat-completions/synthetic-joke',
    diff: [{ field: 'messages.0.content', expected: 'Tell me a joke', got: 'Tell me two jokes', detail: null }],
    not_acceptable: null,
  });

  const accepted = await call(`/admin/v1/fixtures/misses/${miss.id}/accept`, {});
  expect(accepted).toMatchObject({ status: 201, body: { data: { dir, answers_now: true, files: [] } } });
  expect(existsSync(join(dir, String(accepted.body.data['path']), 'meta.json'))).toBe(true);
  expect(textOf(await ask('Tell me two jokes'))).toBe('No.');
  expect((await call('/admin/v1/fixtures/misses')).body).toMatchObject({ total_count: 0 });
  expect((await call(`/admin/v1/fixtures/misses/${miss.id}/accept`, {})).status).toBe(404);

  // The next start uses it, too.
  const again = await start({ demoFixturesDir: dir });
  expect(textOf(await again.ask('Tell me two jokes'))).toBe('No.');
});

test('a generation becomes a case that answers from then on', async () => {
  writeCase('synthetic-joke', 'Tell me a joke', 'No.');
  const { call, ask } = await start({ demoFixturesDir: dir, savesFixtures: true });
  const response = await ask('Tell me a joke');
  const saved = await call('/admin/v1/fixtures', { generation_id: response.body['id'] });
  const path = `_edge/chat-completions/synthetic-${String(response.body['id'])}`;
  expect(saved).toMatchObject({ status: 201, body: { data: { path, dir, reason: null, answers_now: true } } });
  // Other parameters make no difference to it, as they would to the case that matched first.
  const other = await ask('Tell me a joke', { temperature: 0.5 });
  expect([other.body['id'], textOf(other)]).toEqual([response.body['id'], 'No.']);
  expect((await call('/admin/v1/fixtures')).body.data).toMatchObject({ cases: 2, unused: 0 });
  expect((await call('/admin/v1/fixtures', { generation_id: 'gen-none' })).status).toBe(404);
});

test('a directory that is not to be written to gets nothing, and the case is handed out', async () => {
  cpSync(SHIPPED, dir, { recursive: true });
  const { call, ask } = await start({ demoFixturesDir: dir });
  const response = await ask('Tell me a joke', {}, 'demo/chat');
  const { body } = await call('/admin/v1/fixtures', { generation_id: response.body['id'] });
  expect(body.data).toMatchObject({ dir: null, reason: null, answers_now: false });
  const files = body.data['files'] as { name: string; text: string }[];
  expect(files.map(({ name }) => name).toSorted()).toEqual([
    'meta.json',
    'request.json',
    'response.json',
    'response.sse',
  ]);
  expect(existsSync(join(dir, '_edge'))).toBe(false);
});

test('says so where the directory cannot be written to, and hands the case out', async () => {
  writeCase('synthetic-joke', 'Tell me a joke', 'No.');
  writeFileSync(join(dir, '_edge'), 'a file where a folder belongs');
  const { call, ask } = await start({ demoFixturesDir: dir, savesFixtures: true });
  const { body } = await ask('Tell me a joke');
  const saved = await call('/admin/v1/fixtures', { generation_id: body['id'] });
  expect(saved.body.data).toMatchObject({ dir: null, reason: `${dir} cannot be written to (ENOTDIR)` });
});

test('a recording grows under one’s eyes, and a live gateway hands out what it made, without keys', async () => {
  const upstream = await startScriptedUpstream();
  closers.push(() => upstream.close());
  const config = {
    providers: [{ slug: 'acme', wire: 'openai', baseUrl: upstream.baseUrl, apiKey: 'sk-canary-provider-0123456789' }],
    models: [{ id: 'acme/one', endpoints: [{ provider: 'acme', providerModel: 'gpt-4o-mini' }] }],
  };
  const recording = await start({ record: { dir, mode: 'record-missing', at: 'upstream' } }, config);
  for (const _ of [1, 2]) expect((await recording.ask('Hello!')).status).toBe(200);
  const { body: state } = await recording.call('/admin/v1/fixtures');
  expect(state.data).toMatchObject({ mode: 'record-missing', record_at: 'upstream', dir, cases: 1, saves: true });

  const live = await start({}, config);
  expect((await live.call('/admin/v1/fixtures')).body.data).toMatchObject({ mode: 'live', dir: null, cases: 0 });
  expect((await live.call('/admin/v1/fixtures/cases')).body).toEqual({ data: [], total_count: 0 });
  const response = await live.ask('My key is sk-canary-provider-0123456789');
  const { body } = await live.call('/admin/v1/fixtures', { generation_id: response.body['id'] });
  expect(body.data).toMatchObject({ dir: null, answers_now: false });
  expect(JSON.stringify(body)).toContain('My key is ***');
  expect(JSON.stringify(body)).not.toContain('canary');
  expect((await live.call('/admin/v1/fixtures/misses/miss-1/accept', {})).status).toBe(404);

  const there = (await recording.call('/admin/v1/fixtures/cases')).body.data as unknown as [{ path: string }];
  const text = readFileSync(join(dir, there[0].path, 'meta.json'), 'utf8');
  expect(text).not.toContain('canary');
});
