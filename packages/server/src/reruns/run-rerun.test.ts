import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { createGateway } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createNodePlatform } from '@model-gateway/node';
import { listen } from '@model-gateway/node/http';
import { expect, onTestFinished, test } from 'vitest';

import { createEchoTransport, ECHO_MODELS } from '../../../../test/support/gateways/echo-models.ts';
import { parseCommand } from '../commands/parse-command.ts';
import { rerunAt, type RerunHost, type RerunOptions } from './run-rerun.ts';

const MANAGEMENT_KEY = 'sk-management';
const ORIGINALS = ['one', 'two', 'three'];

/** A listening gateway with some calls, and what the command prints there. */
async function prepare({ hangs = false } = {}) {
  const echo = createEchoTransport(({ messages }) => `Echo: ${messages.at(-1)?.content ?? ''}`);
  let calls = 0;
  const send: typeof echo.send = (request) => {
    calls += 1;
    return hangs && calls > ORIGINALS.length ? new Promise(() => undefined) : echo.send(request);
  };
  const transport = { ...echo, send };
  const gateway = createGateway({
    store: createMemoryStore(),
    platform: createNodePlatform(),
    models: ECHO_MODELS,
    timeouts: { drainMs: 0 },
    providers: [createOpenAiProvider({ slug: 'acme', name: 'Acme', baseUrl: 'https://acme.example/v1', transport })],
    bootstrapKeys: [
      { key: 'sk-api', kind: 'api', name: 'app' },
      { key: MANAGEMENT_KEY, kind: 'management', name: 'admin' },
    ],
  });
  const listener = await listen(gateway, { port: 0 });
  onTestFinished(async () => {
    await gateway.close();
    await listener.close();
  });
  for (const content of ORIGINALS) {
    await fetch(`${listener.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-api', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'acme/chat', max_tokens: 20, messages: [{ role: 'user', content }] }),
    });
  }
  let printed = '';
  const host: RerunHost = {
    env: { MODEL_GATEWAY_MANAGEMENT_KEY: MANAGEMENT_KEY },
    write: (text) => void (printed += text),
    wait: () => new Promise((resolve) => void setImmediate(resolve)),
    now: Date.now,
  };
  return {
    run: (...args: readonly string[]) => rerunAt(parse(...args, '--url', `${listener.url}/`), host),
    host,
    url: listener.url,
    close: () => listener.close(),
    printed: () => printed,
  };
}

function parse(...args: readonly string[]): RerunOptions {
  const command = parseCommand(['rerun', ...args]);
  if (command.type !== 'rerun') throw new TypeError('It is another command');
  return command.options;
}

test('rerun runs past calls at a gateway again, and prints a table', async () => {
  const { run, printed } = await prepare();
  const where = ['--where', 'model:acme/chat', '--last', '1h', '--limit', '2'];
  await expect(run('--model', 'acme/other', '--max-cost', '1', '--judge', 'length', ...where)).resolves.toBe(true);
  expect(printed()).toMatch(
    /^2 calls; about \$[\d.]+, at worst \$[\d.]+, without judges\.\nRerun rerun-\w+ has begun\.\n/,
  );
  expect(printed()).toMatch(/model +done +errors +win +tie +loss +cost/);
  expect(printed()).toMatch(/acme\/other +2 +0 +0 \(0-0 %\) +2 \(100-100 %\) +0 \(0-0 %\) +\$/);
  expect(printed()).toMatch(/rerun-\w+ is done\. \$[\d.]+ spent\.\n$/);
});

test('rerun takes the chats of a folder of fixtures, and says where that has none', async () => {
  const { run, printed } = await prepare();
  const dir = mkdtempSync(join(tmpdir(), 'rerun-fixtures-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const target = ['--model', 'acme/other', '--max-cost', '1', '--judge', 'json_equal'];
  await expect(run(...target, '--fixtures', dir)).rejects.toThrow(/fixtures cannot be read: .*holds no case/);
  const folder = join(dir, '_edge', 'chat-completions', 'synthetic-one');
  mkdirSync(folder, { recursive: true });
  const files = {
    'request.json': { model: 'acme/chat', max_tokens: 20, messages: [{ role: 'user', content: 'one' }] },
    'response.json': { choices: [{ message: { content: 'Echo: one' }, finish_reason: 'stop' }] },
    'meta.json': { synthetic: true, date: '2026-01-01', model: 'acme/chat', status: 200 },
  };
  for (const [name, value] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(value));
  await expect(run(...target, '--fixtures', dir)).resolves.toBe(true);
  expect(printed()).toMatch(/^1 calls;/);
  expect(printed()).toMatch(/acme\/other +1 +0 +0 .* \d \(.* +\$/);
});

test('rerun estimates alone, and says why it has stopped under its cap', async () => {
  const { run, printed } = await prepare();
  await expect(run('--model', 'acme/other', '--estimate')).resolves.toBe(true);
  expect(printed()).not.toContain('has begun');
  await expect(run('--model', 'acme/other', '--max-cost', '0.000001')).resolves.toBe(false);
  expect(printed()).toMatch(/is paused: The next call may cost up to/);
});

test('rerun repeats what the gateway refuses, and asks for a key', async () => {
  const { run, host } = await prepare();
  await expect(run('--model', 'acme/unknown', '--max-cost', '1')).rejects.toThrow(/there is no model "acme\/unknown"/);
  const options = parse('--model', 'm', '--max-cost', '1', '--url', 'http://127.0.0.1:1');
  await expect(rerunAt(options, { ...host, env: {} })).rejects.toThrow(/MODEL_GATEWAY_MANAGEMENT_KEY/);
});

test('rerun says that it goes on where the gateway stops meanwhile', async () => {
  const { host, url, close, printed } = await prepare({ hangs: true });
  const options = parse('--model', 'acme/other', '--max-cost', '1', '--url', url);
  const ending = rerunAt(options, { ...host, wait: close });
  await expect(ending).rejects.toThrow(
    /does not show the rerun any more: .*The rerun rerun-\w+ continues when the gateway is back/,
  );
  expect(printed()).toContain('has begun');
});

test('rerun reads its flags', () => {
  expect(
    parse(
      '--model',
      'a/b',
      '--model',
      'c/d',
      '--provider',
      'p',
      '--max-cost',
      '2.5',
      '--last',
      '30m',
      '--judge',
      'model:e/f',
    ),
  ).toMatchObject({
    targets: [
      { model: 'a/b', provider: 'p' },
      { model: 'c/d', provider: 'p' },
    ],
    maxCostUsd: 2.5,
    set: { lastMs: 1_800_000, limit: 100 },
    judges: [{ type: 'model', model: 'e/f' }],
  });
});

test('rerun gives each model a provider of its own, and changes the requests for all', () => {
  const { targets } = parse(
    ...'--model a/b@one --model acme/small@my.host --model cf/@cf/meta/llama@two --max-cost 1'.split(' '),
    '--append-system',
    'Be brief.',
    '--parameters',
    '{"temperature":0}',
  );
  const change = { system: { append: 'Be brief.' }, parameters: { temperature: 0 } };
  expect(targets).toEqual([
    { model: 'a/b', provider: 'one', ...change },
    { model: 'acme/small', provider: 'my.host', ...change },
    { model: 'cf/@cf/meta/llama', provider: 'two', ...change },
  ]);
});

test('rerun takes an @ for a part of the name of a model where the provider is named apart', () => {
  const names = ['google/claude-sonnet-4@20250514', 'cf/@cf/meta/llama', 'a/b'];
  const { targets } = parse(...names.flatMap((name) => ['--model', name]), '--provider', 'vertex', '--max-cost', '1');
  expect(targets).toEqual(names.map((model) => ({ model, provider: 'vertex' })));
});

test('rerun takes a preset in the place of a model, or with another model', () => {
  const { targets } = parse(...'--model @preset/brief --model a/b@preset/brief --max-cost 1'.split(' '));
  expect(targets).toEqual([{ preset: 'brief' }, { model: 'a/b', preset: 'brief' }]);
});

test('rerun runs the requests of a file, and counts them for the key that it names', async () => {
  const { run, url, printed } = await prepare();
  const file = join(mkdtempSync(join(tmpdir(), 'rerun-')), 'requests.ndjson');
  onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  const bodies = ['four', 'five'].map((content) => ({ max_tokens: 20, messages: [{ role: 'user', content }] }));
  writeFileSync(file, bodies.map((body) => `${JSON.stringify({ request: { body } })}\n`).join(''));
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' };
  const made = await fetch(`${url}/api/v1/keys`, { method: 'POST', headers, body: '{"name":"payer"}' });
  const { hash } = ((await made.json()) as { data: { hash: string } }).data;
  const model = ['--model', 'acme/other@acme', '--max-cost', '1'];
  await expect(run(...model, '--requests', file, '--run-as-key', hash)).resolves.toBe(true);
  expect(printed()).toMatch(/^2 calls; /);
  const list = await fetch(`${url}/admin/v1/generations?key=${hash}`, { headers });
  const { data } = (await list.json()) as { data: { model: string }[] };
  expect(data.map((each) => each.model)).toEqual(['acme/other', 'acme/other']);
  await expect(run(...model, '--requests', `${file}.gone`)).rejects.toThrow(
    /cannot be read: there is no such file or folder/,
  );
});

test('rerun takes the calls that are named', async () => {
  const { run, url, printed } = await prepare();
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const list = await fetch(`${url}/admin/v1/generations`, { headers });
  const [newest, , oldest] = ((await list.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
  const ids = ['--id', newest ?? '', '--id', oldest ?? ''];
  await expect(run('--model', 'acme/other', '--max-cost', '1', ...ids)).resolves.toBe(true);
  expect(printed()).toMatch(/^2 calls; /);
});

test.each([
  ['--max-cost 1', /Missing --model/],
  ['--model a', /Missing --max-cost/],
  ['--model a --max-cost 0', /--max-cost must be an amount/],
  ['--model a --max-cost 1 --last 7w', /--last must be a time/],
  ['--model a --max-cost 1 --id gen-1 --last 7d', /exclude each other/],
  ['--model a --max-cost 1 --id gen-1 --fixtures cases', /exclude each other/],
  ['--model a --max-cost 1 --system A --append-system B', /exclude each other/],
  ['--model a --max-cost 1 --parameters [1]', /--parameters must be an object/],
  ['--model a --max-cost 1 --judge best', /--judge must be/],
  ['--model a --max-cost 1 --url host', /--url must be/],
])('rerun %s says what is missing or wrong', (line, message) => {
  expect(() => parse(...line.split(' '))).toThrow(message);
});

test('rerun holds a preset to the provider that is named apart, too', () => {
  const { targets } = parse(
    '--model',
    'a/b@preset/brief',
    '--model',
    '@preset/brief',
    '--provider',
    'p',
    '--max-cost',
    '1',
  );
  expect(targets).toEqual([
    { model: 'a/b', preset: 'brief', provider: 'p' },
    { preset: 'brief', provider: 'p' },
  ]);
});
