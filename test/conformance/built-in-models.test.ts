import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, expect, onTestFinished, test } from 'vitest';

// The real command as it is installed, so this needs a build; `npm test` makes one first.
const BIN =
  process.env['TEST_BIN'] ?? fileURLToPath(new URL('../../packages/server/bin/model-gateway.js', import.meta.url));
const API_KEY = 'sk-test-api-key-0123456789';
const UPSTREAM_KEY = 'upstream-secret-0123456789';

const folder = mkdtempSync(join(tmpdir(), 'built-in-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const respond: RequestListener = (request, response) => {
  response.setHeader('content-type', 'application/json');
  if (request.method === 'GET') return void response.end('{"data":[{"id":"gpt-4o-mini"}]}');
  const message = { role: 'assistant', content: 'Hello' };
  const usage = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };
  response.end(JSON.stringify({ id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
};

/** A config with OpenAI's preset at an address of ours; the file's path. */
async function writeConfig(models: readonly object[] = []): Promise<string> {
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const file = join(folder, 'gateway.config.json');
  const config = {
    auth: { bootstrapKeys: [{ key: API_KEY }] },
    store: { type: 'memory' },
    providers: [{ slug: 'mine', preset: 'openai', baseUrl, apiKey: UPSTREAM_KEY }],
    models,
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

async function serve(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', ...args], { cwd: folder, env: {} });
  onTestFinished(() => void child.kill('SIGKILL'));
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))));
  return (JSON.parse(line) as { api: string }).api;
}

const call = (url: string, key: string, body?: object): Promise<Response> =>
  fetch(url, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });

async function listIds(api: string, key: string): Promise<string[]> {
  const { data } = (await (await call(`${api}/models?output_modalities=all`, key)).json()) as {
    data: { id: string }[];
  };
  return data.map(({ id }) => id);
}

test('a preset alone serves the built-in models of its provider, at their prices', async () => {
  const api = await serve('--config', await writeConfig());
  const ids = await listIds(api, API_KEY);
  expect(ids).toContain('openai/gpt-4o-mini');
  expect(ids.filter((id) => id.startsWith('anthropic/'))).toEqual([]);
  const messages = [{ role: 'user', content: 'Hi' }];
  const response = await call(`${api}/chat/completions`, API_KEY, { model: 'openai/gpt-4o-mini', messages });
  // 1,000 tokens at 0.15 USD a million and 500 at 0.60.
  expect(await response.json()).toMatchObject({ model: 'openai/gpt-4o-mini', usage: { cost: 0.00045 } });
});

test('the config overrides a built-in model', async () => {
  const pricing = { prompt: '0.000001', completion: '0.000002' };
  const own = { id: 'openai/gpt-4o-mini', name: 'Ours', endpoints: [{ provider: 'mine', pricing }] };
  const api = await serve('--config', await writeConfig([own]));
  const list = (await (await call(`${api}/models`, API_KEY)).json()) as { data: { id: string }[] };
  expect(list.data.find(({ id }) => id === own.id)).toMatchObject({
    name: 'Ours',
    context_length: 128_000,
    pricing,
  });
});

test('demo mode serves its own models alone', async () => {
  const ids = await listIds(await serve('--demo', '--data-dir', join(folder, 'demo')), 'sk-gw-v1-demo');
  expect(ids.length).toBeGreaterThan(0);
  expect(ids.filter((id) => !id.startsWith('demo/'))).toEqual([]);
});

test('the doctor reports on stdout, ends with 2 where the config is wrong, and prints no key', async () => {
  const run = (...args: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, [BIN, 'doctor', ...args], { cwd: folder, env: {} }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  const well = await run('--config', await writeConfig(), '--call');
  expect([well.code, well.stderr]).toEqual([0, '']);
  expect(well.stdout).toContain('1 models listed with the key');
  expect(well.stdout).toMatch(/ok +call +gpt-\S+ responded \(1000 \+ 500 tokens\)/);
  expect(well.stdout).not.toContain(UPSTREAM_KEY);
  expect(await run('--config', 'missing.json')).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('there is no such file') as string,
  });
});
