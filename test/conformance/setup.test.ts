import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, onTestFinished, test } from 'vitest';

import { endProcess } from '../support/test-run/end-process.ts';
import { startRawUpstream, toRawResponse } from '../support/upstreams/raw-upstream.ts';

/** The real command, so this needs a build; `npm test` makes one first. */
const BIN =
  process.env['TEST_BIN'] ?? fileURLToPath(new URL('../../packages/server/bin/model-gateway.js', import.meta.url));
const KEY = 'sk-upstream-key-that-nobody-may-see-4711';
const COMPLETION = {
  id: 'c',
  model: 'small-1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello from upstream' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 },
};

interface Serving {
  readonly url: string;
  /** What it has logged so far. */
  readonly log: () => string;
  end(): Promise<void>;
}

async function serve(flags: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Serving> {
  const args = [BIN, 'serve', '--port', '0', ...flags];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => endProcess(child));
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return {
    url: (JSON.parse(line) as { readonly url: string }).url,
    log: () => log,
    async end() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function createKey(dir: string, ...flags: string[]): Promise<string> {
  const args = [BIN, 'keys', 'create', '--name', 'test', '--data-dir', dir, ...flags];
  return (await promisify(execFile)(process.execPath, args, { env: {} })).stdout.trim();
}

async function send(url: string, key: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

function makeDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-setup-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

/** The files of a directory that hold a text, whatever they are. */
const filesWith = (dir: string, text: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(dir, name);
    return statSync(path).isFile() && readFileSync(path).includes(text);
  });

const callOf = (model: string) => ({ model, messages: [{ role: 'user', content: 'Hello' }] });

async function startUpstream(): Promise<string> {
  const { baseUrl } = await startRawUpstream(({ head, socket }) => {
    const isRight = head.toLowerCase().includes(`authorization: bearer ${KEY}`);
    const refusal = { error: { message: 'Incorrect API key' } };
    const found = head.startsWith('GET') ? { data: [{ id: 'small-1' }] } : COMPLETION;
    socket.end(isRight ? toRawResponse(200, found) : toRawResponse(401, refusal));
  });
  return baseUrl;
}

test('a running gateway without providers comes alive by the first that is set up, and is the same after a restart', async () => {
  const [dir, baseUrl] = [makeDirectory(), await startUpstream()];
  const first = await serve(['--no-demo', '--data-dir', dir]);
  const management = await createKey(dir, '--management');
  const key = await createKey(dir);
  expect((await send(`${first.url}/api/v1/chat/completions`, key, callOf('up/small-1'))).status).toBe(400);

  const provider = { slug: 'up', wire: 'openai', baseUrl, apiKey: KEY, discoverModels: true };
  const made = await send(`${first.url}/admin/v1/setup/providers`, management, provider);
  expect(made).toMatchObject({ status: 201, body: { data: { status: 'ready', key_hint: '…4711' } } });
  const call = (url: string) => send(`${url}/api/v1/chat/completions`, key, callOf('up/small-1'));
  expect(await call(first.url)).toMatchObject({
    status: 200,
    body: { choices: [{ message: COMPLETION.choices[0]?.message }] },
  });
  expect(statSync(join(dir, 'secrets.key')).mode & 0o777).toBe(0o600);
  await first.end();

  const second = await serve(['--data-dir', dir]);
  await expect.poll(async () => (await call(second.url)).status).toBe(200);
  const listed = await send(`${second.url}/admin/v1/setup/providers`, management);
  expect(listed.body).toMatchObject({ data: [{ slug: 'up', source: 'stored', status: 'ready' }], editable: true });
  expect(second.log()).not.toContain('demo');
  await second.end();

  expect(filesWith(dir, KEY)).toEqual([]);
  for (const text of [first.log(), second.log(), JSON.stringify([made, listed])]) expect(text).not.toContain(KEY);
});

test('without the key that has sealed it, a stored provider is left out and reported, and the gateway starts', async () => {
  const [dir, baseUrl] = [makeDirectory(), await startUpstream()];
  const secret = { GATEWAY_SECRETS_KEY: Buffer.alloc(32, 1).toString('base64') };
  const first = await serve(['--no-demo', '--data-dir', dir], secret);
  const management = await createKey(dir, '--management');
  const provider = { slug: 'up', wire: 'openai', baseUrl, apiKey: KEY };
  await send(`${first.url}/admin/v1/setup/providers`, management, provider);
  expect(readdirSync(dir)).not.toContain('secrets.key');
  await first.end();

  const second = await serve(['--data-dir', dir]);
  const { body } = await send(`${second.url}/admin/v1/setup/providers`, management);
  expect(body).toMatchObject({ data: [{ slug: 'up', status: 'locked' }] });
  expect(second.log()).toMatch(/"provider":"up".*a stored provider is left out/);
  await second.end();
});

test('the doctor opens what was set up while the gateway runs, and says when the key for it is missing', async () => {
  const [dir, baseUrl] = [makeDirectory(), await startUpstream()];
  const secret = { GATEWAY_SECRETS_KEY: Buffer.alloc(32, 1).toString('base64') };
  const gateway = await serve(['--no-demo', '--data-dir', dir], secret);
  const management = await createKey(dir, '--management');
  await send(`${gateway.url}/admin/v1/setup/providers`, management, {
    slug: 'up',
    wire: 'openai',
    baseUrl,
    apiKey: KEY,
  });
  const doctor = async (env: NodeJS.ProcessEnv) => {
    const child = spawn(process.execPath, [BIN, 'doctor', '--data-dir', dir], { env });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    const [code] = (await once(child, 'close')) as [number];
    expect(text).not.toContain(KEY);
    return { code, text };
  };
  expect(await doctor(secret)).toMatchObject({
    code: 0,
    text: expect.stringContaining('1 models listed with the key'),
  });
  expect(await doctor({})).toMatchObject({ code: 1, text: expect.stringContaining('GATEWAY_SECRETS_KEY is not set') });
});

test('a test of a provider comes line by line, each layer with its time', async () => {
  const baseUrl = await startUpstream();
  const dir = makeDirectory();
  const gateway = await serve(['--no-demo', '--data-dir', dir]);
  const management = await createKey(dir, '--management');
  const response = await fetch(`${gateway.url}/admin/v1/setup/provider-tests`, {
    method: 'POST',
    headers: { authorization: `Bearer ${management}`, 'content-type': 'application/json' },
    body: JSON.stringify({ provider: { wire: 'openai', baseUrl, apiKey: 'sk-wrong-0001' }, stream: true }),
  });
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  const lines = (await response.text()).trim().split('\n');
  const values = lines.map((line) => JSON.parse(line) as { finding?: { layer: string; duration_ms?: number } });
  expect(values.map(({ finding }) => finding?.layer)).toEqual(['address', 'dns', 'tcp', 'tls', 'auth', undefined]);
  expect(values[4]?.finding).toMatchObject({ status: 'failed', duration_ms: expect.any(Number) as number });
  expect(values.at(-1)).toMatchObject({ data: { ok: false, findings: { length: 5 }, models: null } });
});

test('routing defaults that were set hold after a restart, and what the config says counts before them', async () => {
  const dir = makeDirectory();
  const first = await serve(['--no-demo', '--data-dir', dir]);
  const management = await createKey(dir, '--management');
  const settings = { routing: { sort: 'latency', max_price: { prompt: '2.5' } } };
  const changed = await fetch(`${first.url}/admin/v1/settings`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${management}`, 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });
  expect(changed.status).toBe(200);
  await first.end();
  const config = join(dir, 'gateway.json');
  writeFileSync(config, JSON.stringify({ routing: { sort: 'price' } }));
  const second = await serve(['--config', config, '--data-dir', dir]);
  expect((await send(`${second.url}/admin/v1/settings`, management)).body).toMatchObject({
    data: { routing: { sort: 'price', max_price: { prompt: '2.5' } }, configured: ['routing.sort'] },
  });
});

test('a key for secrets that is none is refused at the start, and not repeated', async () => {
  const args = [BIN, 'serve', '--no-demo', '--port', '0', '--data-dir', makeDirectory()];
  const child = spawn(process.execPath, args, {
    env: { GATEWAY_SECRETS_KEY: 'hunter2' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => endProcess(child));
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const [code] = (await once(child, 'close')) as [number];
  expect([code, log]).toEqual([2, expect.stringContaining('GATEWAY_SECRETS_KEY must be 32 random bytes')]);
  expect(log).not.toContain('hunter2');
});
