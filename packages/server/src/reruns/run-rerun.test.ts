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
  await expect(ending).rejects.toThrow(/does not show the rerun any more: .*rerun-\w+ goes on when it runs/);
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
    lastMs: 1_800_000,
    limit: 100,
    judges: [{ type: 'model', model: 'e/f' }],
  });
});

test.each([
  ['--max-cost 1', /Missing --model/],
  ['--model a', /Missing --max-cost/],
  ['--model a --max-cost 0', /--max-cost must be an amount/],
  ['--model a --max-cost 1 --last 7w', /--last must be a time/],
  ['--model a --max-cost 1 --judge best', /--judge must be/],
  ['--model a --max-cost 1 --url host', /--url must be/],
])('rerun %s says what is missing or wrong', (line, message) => {
  expect(() => parse(...line.split(' '))).toThrow(message);
});
