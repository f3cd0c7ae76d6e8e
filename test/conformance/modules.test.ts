import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';

import { endProcess } from '../support/test-run/end-process.ts';

const BIN =
  process.env['TEST_BIN'] ?? fileURLToPath(new URL('../../packages/server/bin/model-gateway.js', import.meta.url));
const EXAMPLE = fileURLToPath(new URL('../../examples/own-modules/', import.meta.url));
const KEY = 'sk-test-api-key-0123456789';

/** A folder with these files, as texts or as JSON. */
function writeFolder(files: Readonly<Record<string, string | object>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'modules-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

interface Running {
  readonly child: ChildProcess;
  readonly client: OpenAI;
  readonly log: () => string;
}

async function serve(folder: string, env: Readonly<Record<string, string>> = {}): Promise<Running> {
  const args = [BIN, 'serve', '--port', '0', '--config', join(folder, 'gateway.config.json')];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => endProcess(child));
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const { api } = JSON.parse(line) as { api: string };
  return { child, log: () => log, client: new OpenAI({ apiKey: KEY, baseURL: api, maxRetries: 0 }) };
}

/** Ends it as an operator does. */
async function stop({ child }: Running): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

const ask = (content: string) => ({ model: 'house/echo', messages: [{ role: 'user' as const, content }] });

async function readStream({ client }: Running, content: string): Promise<string> {
  let text = '';
  for await (const chunk of await client.chat.completions.create({ ...ask(content), stream: true })) {
    text += chunk.choices[0]?.delta.content ?? '';
  }
  return text;
}

test('the example serves a provider of its own behind a filter, and its destination gets every call', async () => {
  const folder = writeFolder({});
  cpSync(EXAMPLE, folder, { recursive: true });
  const running = await serve(folder, { GATEWAY_KEY: KEY, AUDIT_DIR: folder });
  const whole = await running.client.chat.completions.create(ask('how are you'));
  expect(whole.choices[0]?.message.content).toBe('Hello from the house: how are you');
  expect(await readStream(running, 'how are you')).toBe('Hello from the house: how are you');
  const filtered = await running.client.chat.completions.create(ask('What is Bluebird'));
  expect(filtered.choices[0]?.message.content).toBe('Hello from the house: What is [project]');
  const parts = [{ type: 'text' as const, text: 'Hi' }];
  const refused = running.client.chat.completions.create({
    model: 'house/echo',
    messages: [{ role: 'user', content: parts }],
  });
  await expect(refused).rejects.toMatchObject({ status: 400, message: expect.stringContaining('texts alone') });
  await stop(running);
  const lines = readFileSync(join(folder, 'audit.jsonl'), 'utf8').trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { model: string }).model)).toEqual(Array(4).fill('house/echo'));
});

const PROVIDER = `export const createProvider = ({ word }, { slug }) => ({
  slug, name: 'House', dataPolicy: { training: null, retainsPrompts: null },
  async *chat() { yield [{ choices: [{ index: 0, delta: { content: word }, finish_reason: 'stop', native_finish_reason: 'stop' }] }]; },
});`;

const toConfig = (options: object, more: object = {}): object => ({
  providers: [{ slug: 'house', module: 'house.mjs', options }],
  models: [{ id: 'house/echo', endpoints: [{ provider: 'house', providerModel: 'x' }] }],
  store: { type: 'memory' },
  auth: { bootstrapKeys: [{ key: KEY, kind: 'api', name: 'dev' }] },
  ...more,
});

test('options take variables, come into force while it runs, and a module that fails then changes nothing', async () => {
  const folder = writeFolder({ 'house.mjs': PROVIDER, 'gateway.config.json': toConfig({ word: 'env:SECRET_WORD' }) });
  const running = await serve(folder, { SECRET_WORD: 'rhubarb' });
  const say = async (): Promise<string | null | undefined> =>
    (await running.client.chat.completions.create(ask('Hi'))).choices[0]?.message.content;
  expect(await say()).toBe('rhubarb');
  writeFileSync(join(folder, 'gateway.config.json'), JSON.stringify(toConfig({ word: 'plum' })));
  await expect.poll(say, { timeout: 10_000 }).toBe('plum');
  const broken = toConfig({}, { providers: [{ slug: 'house', module: 'none.mjs' }] });
  writeFileSync(join(folder, 'gateway.config.json'), JSON.stringify(broken));
  await expect.poll(running.log, { timeout: 10_000 }).toContain('none.mjs cannot be loaded');
  expect(await say()).toBe('plum');
  expect(running.log()).not.toContain('rhubarb');
});

test('a destination that is told of a call finishes with it before it is closed at a stop', async () => {
  const folder = writeFolder({
    'house.mjs': PROVIDER,
    // It is still at work when the stop comes: it waits for nothing but that.
    'slow.mjs': `import { writeFileSync } from 'node:fs';
      export const createDestination = ({ file }) => {
        let isOpen = true;
        const stopped = new Promise((resolve) => process.once('SIGTERM', () => setImmediate(resolve)));
        return {
          async onGeneration({ generation }) {
            await stopped;
            for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
            writeFileSync(file, isOpen ? generation.model : 'closed before');
          },
          close: () => void (isOpen = false),
        };
      };`,
  });
  const destinations = [{ slug: 'slow', module: 'slow.mjs', options: { file: join(folder, 'told') } }];
  writeFileSync(join(folder, 'gateway.config.json'), JSON.stringify(toConfig({ word: 'plum' }, { destinations })));
  const running = await serve(folder);
  await running.client.chat.completions.create(ask('Hi'));
  await stop(running);
  expect(readFileSync(join(folder, 'told'), 'utf8')).toBe('house/echo');
});

test('management sees such a provider, cannot change it, and cannot set up another under its name', async () => {
  const management = 'sk-test-management-0123456789';
  const keys = [{ key: management, kind: 'management', name: 'admin' }];
  const config = toConfig({ word: 'plum' }, { auth: { bootstrapKeys: keys } });
  const folder = writeFolder({ 'house.mjs': PROVIDER, 'gateway.config.json': config });
  const { client } = await serve(folder);
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(new URL(`/admin/v1/${path}`, client.baseURL), {
      method,
      headers: { authorization: `Bearer ${management}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as { readonly data: readonly object[] } };
  };
  const listed = await ask('GET', 'setup/providers');
  expect(listed.body.data).toMatchObject([
    { slug: 'house', source: 'config', status: 'ready', address: join(folder, 'house.mjs'), settings: {} },
  ]);
  expect((await ask('PATCH', 'setup/providers/house', { name: 'Mine' })).status).toBeGreaterThanOrEqual(400);
  const own = { slug: 'house', wire: 'openai', baseUrl: 'https://a.example/v1', apiKey: null };
  const refused = await ask('POST', 'setup/providers', own);
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('house')]);
  expect((await ask('GET', 'providers')).status).toBe(200);
});

test('a store of its own holds what the gateway stores', async () => {
  const store = `import { createMemoryStore } from ${JSON.stringify(import.meta.resolve('@model-gateway/core/stores/memory-store'))};
export const createStore = ({ note }, { logger }) => { logger.info(note); return createMemoryStore(); };`;
  const folder = writeFolder({
    'house.mjs': PROVIDER,
    'store.mjs': store,
    'gateway.config.json': toConfig(
      { word: 'plum' },
      { store: { type: 'module', module: './store.mjs', options: { note: 'the store of the house' } } },
    ),
  });
  const running = await serve(folder);
  expect(await readStream(running, 'Hi')).toBe('plum');
  expect(running.log()).toContain('the store of the house');
});

/** Starts it and returns what it says of why it does not run. */
function fail(config: object, files: Readonly<Record<string, string>> = {}, args: readonly string[] = []): string {
  const folder = writeFolder({ ...files, 'gateway.config.json': config });
  const words = [BIN, ...(args.length > 0 ? args : ['serve', '--port', '0'])];
  const run = spawnSync(process.execPath, [...words, '--config', join(folder, 'gateway.config.json')], {
    env: {},
    encoding: 'utf8',
    timeout: 10_000,
  });
  expect(run.status, run.stderr).toBeGreaterThan(0);
  return (run.stderr + run.stdout).replaceAll(folder, '.');
}

test.each([
  ['is not there', {}, 'providers[0].module: ./house.mjs cannot be loaded: Cannot find module'],
  ['is no JavaScript', { 'house.mjs': 'export const' }, './house.mjs cannot be loaded: SyntaxError'],
  [
    'exports another name',
    { 'house.mjs': 'export default () => ({})' },
    'must export a function createProvider(options, context), and exports default',
  ],
  [
    'throws',
    { 'house.mjs': 'export function createProvider() { throw new RangeError("no licence"); }' },
    'has failed in createProvider: RangeError: no licence',
  ],
  [
    'makes another provider',
    { 'house.mjs': PROVIDER.replace('slug, name', 'slug: "other", name') },
    'must return a provider with the slug "house"',
  ],
  [
    'makes a provider that does nothing',
    { 'house.mjs': PROVIDER.replace('*chat', '*talk') },
    'must return a provider that can do something: chat, embeddings, speech, transcription, image, rerank, moderation or video',
  ],
])('a module that %s ends the start, and doctor says the same', (_, files, message) => {
  expect(fail(toConfig({}), files)).toContain(message);
  expect(fail(toConfig({}), files, ['doctor'])).toContain(message);
});

test.each([
  [
    'filters',
    { guardrails: { filters: [{ slug: 'f', module: 'f.mjs' }] } },
    'createFilter',
    'a function input, output or both',
  ],
  ['destinations', { destinations: [{ slug: 'f', module: 'f.mjs' }] }, 'createDestination', 'a function onGeneration'],
  ['stores', { store: { type: 'module', module: 'f.mjs' } }, 'createStore', 'a store, but it has no keys'],
])('modules of %s say what was expected of them, too', (_, config, name, expected) => {
  const files = { 'house.mjs': PROVIDER, 'f.mjs': `export const ${name} = () => ({});` };
  const told = fail(toConfig({}, config), files);
  expect(told).toMatch(/(guardrails\.filters\[0\]|destinations\[0\]|store)\.module: \.\/f\.mjs must return/);
  expect(told).toContain(expected);
  expect(fail(toConfig({}, config), { ...files, 'f.mjs': '' })).toContain(`must export a function ${name}(`);
});

test('commands that would open the store themselves say that a store of its own is for the gateway', () => {
  const config = toConfig({}, { store: { type: 'module', module: 'store.mjs' } });
  expect(fail(config, {}, ['keys', 'create', '--name', 'x'])).toContain(
    'The store of this config is of your own (./store.mjs), and the gateway alone opens it',
  );
  expect(fail(config, {}, ['serve', '--port', '0', '--workers', '2'])).toContain(
    'needs a store for several processes, but a store of your own belongs to one process',
  );
});

test('the config file says what does not go together', () => {
  const providers = [
    { slug: 'house', module: 'house.mjs', apiKey: 'k', baseUrl: 'https://a.example/v1', discoverModels: true },
    { slug: 'house', preset: 'ollama', options: { a: 1 } },
    { slug: 'third', module: '' },
  ];
  const told = fail(
    toConfig({}, { providers, destinations: [{ slug: 'a', module: 'a.mjs', url: 'x' }], store: { type: 'module' } }),
  );
  for (const part of [
    'providers[0].apiKey: is not for a provider that a "module" makes',
    'providers[0].baseUrl: is not for a provider',
    'providers[0].discoverModels: is not for a provider',
    'providers[1].options: is for a "module" or a "package" alone',
    'providers[1].slug: "house" is in providers[0] already',
    'providers[2].module: must not be empty',
    'destinations[0].url: is not a known field',
    'store.module: is missing',
  ]) {
    expect(told).toContain(part);
  }
});
