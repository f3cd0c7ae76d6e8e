import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createGateway } from '@model-gateway/core';
import { BUILT_IN_MODELS } from '@model-gateway/core/catalog/built-in-models';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createNodePlatform, loadConfig } from '@model-gateway/node';
import { listen } from '@model-gateway/node/http';
import { expect, onTestFinished, test } from 'vitest';

import { createEchoTransport, ECHO_MODELS } from '../../../../test/support/gateways/echo-models.ts';
import { parseCommand } from '../commands/parse-command.ts';
import { chat } from './chat.ts';
import { showCalls } from './follow-calls.ts';
import { initConfig } from './init-config.ts';
import { listKeys, revokeKey, showModels, showStatus } from './show.ts';

const MANAGEMENT_KEY = 'sk-management';
const PAINTER = {
  id: 'acme/painter',
  context_length: 4000,
  architecture: { output_modalities: ['image'] },
  endpoints: [{ provider: 'acme', providerModel: 'painter', pricing: { prompt: '0', completion: '0' } }],
};
const MODELS = [...ECHO_MODELS, PAINTER];

/** A listening gateway, and a terminal whose user types these lines. */
async function prepare(lines: readonly string[] = []) {
  const transport = createEchoTransport(({ messages }) => {
    const said = messages.at(-1)?.content ?? '';
    return messages[0]?.role === 'system' ? `${messages[0].content}: ${said}` : `Echo: ${said} (${messages.length})`;
  });
  const gateway = createGateway({
    store: createMemoryStore(),
    platform: createNodePlatform(),
    models: MODELS,
    timeouts: { drainMs: 0 },
    providers: [createOpenAiProvider({ slug: 'acme', name: 'Acme', baseUrl: 'https://acme.example/v1', transport })],
    bootstrapKeys: [{ key: MANAGEMENT_KEY, kind: 'management', name: 'admin' }],
  });
  const listener = await listen(gateway, { port: 0 });
  onTestFinished(async () => {
    await gateway.close();
    await listener.close();
  });
  let printed = '';
  let noted = '';
  const typed = [...lines];
  const terminal = {
    env: { MODEL_GATEWAY_MANAGEMENT_KEY: MANAGEMENT_KEY },
    write: (text: string) => void (printed += text),
    note: (text: string) => void (noted += text),
    isTTY: false,
    ask: async () => typed.shift() ?? null,
    close: () => undefined,
  };
  const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' };
    const response = await fetch(listener.url + path, { method, headers, body: body ? JSON.stringify(body) : null });
    return (await response.json()) as Record<string, unknown>;
  };
  /** What a command prints; its words end with the address of the gateway. */
  const run = async (...words: readonly string[]): Promise<string> => {
    const command = parseCommand([...words, '--url', listener.url]);
    printed = '';
    switch (command.type) {
      case 'keys-list':
        await listKeys(command.options, terminal);
        break;
      case 'keys-revoke':
        await revokeKey(command.options, terminal);
        break;
      case 'models':
        await showModels(command.options, terminal);
        break;
      case 'status':
        await showStatus(command.options, terminal);
        break;
      case 'logs':
        await showCalls(command.options, terminal, AbortSignal.timeout(60_000));
        break;
      case 'chat':
        await chat(command.options, terminal);
        break;
      default:
        throw new Error(`${command.type} is not tried here`);
    }
    return printed;
  };
  return { run, call, terminal, url: listener.url, printed: () => printed, noted: () => noted };
}

test('keys are listed with what they may spend, and revoked by name or by the beginning of the id', async () => {
  const { run, call } = await prepare();
  expect(await run('keys', 'list')).toContain('There are no keys');
  for (const name of ['one', 'two', 'two']) await call('POST', '/api/v1/keys', { name, limit: 5 });
  expect(await run('keys', 'list')).toMatch(/^id +name +key +kind +state +spent +limit\n(.*\$0\.00 +\$5\.00\n){3}$/);
  expect(await run('keys', 'revoke', 'one')).toBe('The key "one" is revoked. Its calls stay in the records.\n');
  await expect(run('keys', 'revoke', 'one')).rejects.toThrow('No key is named "one"');
  await expect(run('keys', 'revoke', 'two')).rejects.toThrow(
    /^Several keys are named "two"\. Use one of their ids: \w{8}, \w{8}\.$/,
  );
  const [left] = JSON.parse(await run('keys', 'list', '--json')) as { hash: string }[];
  await run('keys', 'revoke', left?.hash.slice(0, 8) ?? '');
  expect((await call('GET', '/api/v1/keys'))['data']).toHaveLength(1);
});

test('keys of every workspace are listed and revoked', async () => {
  const { run, call } = await prepare();
  const { data } = await call('POST', '/api/v1/workspaces', { name: 'Lab', slug: 'lab' });
  const workspaceId = (data as { id: string }).id;
  await call('POST', '/api/v1/keys', { name: 'ci', workspace_id: workspaceId });
  await call('POST', '/api/v1/keys', { name: 'ci' });
  expect(JSON.parse(await run('keys', 'list', '--json'))).toHaveLength(2);
  await expect(run('keys', 'revoke', 'ci')).rejects.toThrow('Several keys are named "ci"');
  const left = (await call('GET', `/api/v1/keys?workspace_id=${workspaceId}`))['data'] as { hash: string }[];
  await run('keys', 'revoke', left[0]?.hash ?? '');
  expect((await call('GET', `/api/v1/keys?workspace_id=${workspaceId}`))['data']).toEqual([]);
});

test('models are listed with their prices a million tokens, all or those that a text is in', async () => {
  const { run } = await prepare();
  const all = await run('models');
  expect(all).toMatch(/\nacme\/painter +image +/);
  expect(all.split('\n')).toHaveLength(MODELS.length + 2);
  expect(all).toMatch(/^model +kind +context +\$\/M input +\$\/M output\n/);
  expect((await run('models', 'OTHER')).split('\n').slice(1, -1)).toEqual([
    expect.stringMatching(/^acme\/other +chat +.*2 +4$/),
  ]);
  expect(await run('models', 'nothing')).toBe('No model matches "nothing".\n');
  expect(JSON.parse(await run('models', '--json'))).toHaveLength(MODELS.length);
});

test('status says that the gateway is ready, what it calls and what was spent', async () => {
  const { run, url } = await prepare();
  await run('chat', 'acme/chat', '-p', 'hi');
  const text = await run('status');
  expect(text).toContain(`gateway          ${url}\nstate            ready\n`);
  expect(text).toMatch(/spent +\$0\.000\d+\n/);
  expect(text).toMatch(/\nAcme +4 +\w+\n$/);
  expect(JSON.parse(await run('status', '--json'))).toMatchObject({ url, running: 0, instance: { trouble: null } });
});

test('chat asks once, with a key that is gone afterwards', async () => {
  const { run, call } = await prepare();
  expect(await run('chat', 'acme/chat', '--prompt', 'hi', '--system', 'Parrot')).toBe('Parrot: hi\n');
  expect((await call('GET', '/api/v1/keys?include_disabled=true'))['data']).toEqual([]);
  await expect(run('chat', 'acme/none', '-p', 'hi')).rejects.toThrow('acme/none did not answer: ');
  expect((await call('GET', '/api/v1/keys?include_disabled=true'))['data']).toEqual([]);
});

test('a chat that its user stops leaves no key behind', async () => {
  const { terminal, call, url } = await prepare();
  const command = parseCommand(['chat', 'acme/chat', '--url', url]);
  if (command.type !== 'chat') throw new Error('it is another command');
  const stop = new AbortController();
  let end = (): void => undefined;
  const asked = new Promise<null>((resolve) => (end = () => resolve(null)));
  const waiting = { ...terminal, ask: () => asked, close: () => end() };
  const talk = chat(command.options, waiting, stop.signal);
  const keys = async (): Promise<unknown> => (await call('GET', '/api/v1/keys?include_disabled=true'))['data'];
  await expect.poll(keys).toHaveLength(1);
  stop.abort();
  await talk;
  expect(await keys()).toEqual([]);
});

test('a talk goes on with what was said, and ends with an empty line', async () => {
  const { run, noted } = await prepare(['one', 'two', '', 'three']);
  expect(await run('chat', 'acme/chat')).toBe('Echo: one (1)\nEcho: two (3)\n');
  expect(noted()).toContain('Talking to acme/chat.');
});

test('logs show the latest calls, the newest last, and follow those that end from now on', async () => {
  const { run, terminal, url, printed } = await prepare();
  await run('logs');
  for (const prompt of ['one', 'two']) await run('chat', 'acme/chat', '-p', prompt);
  const past = await run('logs');
  expect(past).toMatch(
    /^(\d\d:\d\d:\d\d {2}ok +acme\/chat at Acme {2}\d+ → \d+ tokens {2}\$0\.0+\d+ {2}\d\.\d\d s {2}gen-\S+\n){2}$/,
  );
  expect(
    (await run('logs', '--limit', '1', '--json'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toMatchObject([{ model: 'acme/chat', status: 'ok' }]);
  const stop = new AbortController();
  const command = parseCommand(['logs', '-f', '--limit', '1', '--url', url]);
  if (command.type !== 'logs') throw new Error('it is another command');
  const lines = (): number => printed().split('\n').length - 1;
  const following = showCalls(command.options, terminal, stop.signal);
  const before = lines();
  await expect.poll(lines).toBe(before + 1);
  await run('chat', 'acme/chat', '-p', 'three');
  await expect.poll(printed).toMatch(/acme\/chat at Acme/);
  stop.abort();
  await following;
});

test('a gateway that has gone ends what follows it with a sentence', async () => {
  const { run } = await prepare();
  await expect(run('logs', '--url', 'http://127.0.0.1:1')).resolves.toBe('');
  const command = parseCommand(['logs', '-f', '--url', 'http://127.0.0.1:1']);
  if (command.type !== 'logs') throw new Error('it is another command');
  const following = showCalls(command.options, (await prepare()).terminal, AbortSignal.timeout(60_000));
  await expect(following).rejects.toThrow('The gateway at http://127.0.0.1:1 does not respond.');
});

/** Runs `chat` with these words, without any variable of the environment. */
async function chatWithout(...words: readonly string[]): Promise<string> {
  let printed = '';
  const command = parseCommand(['chat', ...words]);
  if (command.type !== 'chat') throw new Error('it is another command');
  const write = (text: string): void => void (printed += text);
  const terminal = { env: {}, write, note() {}, isTTY: false, ask: async () => null, close() {} };
  await chat(command.options, terminal, AbortSignal.timeout(60_000));
  return printed;
}

test('chat with an address and a key needs no management key', async () => {
  const { call, url } = await prepare();
  const { key } = await call('POST', '/api/v1/keys', { name: 'mine' });
  const words = ['acme/chat', '-p', 'hi', '--key', String(key)];
  expect(await chatWithout(...words, '--url', url)).toBe('Echo: hi (1)\n');
  // `serve` prints the address of the API.
  expect(await chatWithout(...words, '--url', `${url}/api/v1`)).toBe('Echo: hi (1)\n');
  await expect(chatWithout('acme/chat', '-p', 'hi', '--url', url)).rejects.toThrow('--url needs a management key');
});

test('chat says in a sentence that the gateway is away, or that it ends in the middle of an answer', async () => {
  await expect(chatWithout('m', '-p', 'hi', '--key', 'k', '--url', 'http://127.0.0.1:1')).rejects.toMatchObject({
    name: 'StartError',
    message: 'The gateway at http://127.0.0.1:1 does not respond. Check the address and that it runs.',
  });
  const server = createServer((request, response) => {
    if (request.url === '/api/v1/keys') {
      return void response.writeHead(201).end('{"key":"k","data":{"hash":"h"}}');
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"choices":[{"delta":{"content":"Once"}}]}\n\n', () => {
      server.close();
      server.closeAllConnections();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { terminal } = await prepare();
  const command = parseCommand(['chat', 'm', '-p', 'hi', '--url', url]);
  if (command.type !== 'chat') throw new Error('it is another command');
  await expect(chat(command.options, terminal, AbortSignal.timeout(60_000))).rejects.toMatchObject({
    name: 'StartError',
    message: `The connection to the gateway at ${url} has broken. Check that it still runs.`,
  });
});

test('a gateway that is away is not said to have refused', async () => {
  const { terminal } = await prepare();
  const command = parseCommand(['models', '--url', 'http://127.0.0.1:1']);
  if (command.type !== 'models') throw new Error('it is another command');
  await expect(showModels(command.options, terminal)).rejects.toThrow(
    'The gateway at http://127.0.0.1:1 does not respond. Check the address and that it runs.',
  );
});

test.each([
  [['sevre'], 'There is no command "sevre". Did you mean "serve"?'],
  [['serve', '--prot', '1'], `Unknown option '--prot'. Did you mean "--port"?`],
  [['keys', 'lst'], 'There is no "keys lst". Did you mean "list"?'],
  [['keys', 'revoke'], 'Missing the key to revoke.'],
  [['chat'], 'Missing the model. "model-gateway models" lists them.'],
  [['chat', 'acme/chat', 'Hello', 'there'], 'Unexpected "Hello"'],
  [['logs', '--limit', '0'], '--limit must be a whole number from 1 to 100'],
  [['completion', 'bsh'], 'There is no completion for "bsh". Did you mean "bash"?'],
  [['status', '--url', 'localhost'], '--url must be the gateway’s address'],
  [['status', '--url', 'http://'], '--url must be the gateway’s address'],
  [['status', '--data-dir', ''], '--data-dir is empty: give it a path, or omit it.'],
  [['serve', '--config', ''], '--config is empty'],
  [['serve', '--record', ''], '--record is empty'],
  [['serve', '--fixtures', ''], '--fixtures is empty'],
])('%j is refused with what was probably meant', (words, message) => {
  expect(() => parseCommand(words)).toThrow(message);
});

/** Answers the questions of `init` in turn. */
async function init(
  words: readonly string[],
  answers: readonly string[] | undefined,
  env: Record<string, string> = {},
  name = 'gateway.config.json',
) {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-init-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, name);
  const command = parseCommand(['init', '--file', file, ...words]);
  if (command.type !== 'init') throw new Error('it is another command');
  let printed = '';
  const given = answers && [...answers];
  const again = () =>
    initConfig(command.options, {
      env,
      write: (text) => void (printed += text),
      ask: given && (async () => given.shift() ?? ''),
      close: () => undefined,
    });
  await again();
  return { file, text: readFileSync(file, 'utf8'), printed, again };
}

test('init asks for providers, port and store, and writes a config that the gateway takes', async () => {
  const env = { OPENAI_API_KEY: 'k', MISTRAL_API_KEY: 'k', DATABASE_URL: 'postgres://u@127.0.0.1/db' };
  const { file, printed } = await init([], ['openai, mistral', '9000', 'y'], env);
  const config = loadConfig({ file, env, presets: PRESETS, builtInModels: BUILT_IN_MODELS });
  expect(config).toMatchObject({ server: { port: 9000 }, store: { type: 'postgres' } });
  expect(config.providers.map(({ slug, apiKey }) => [slug, apiKey])).toEqual([
    ['openai', 'k'],
    ['mistral', 'k'],
  ]);
  expect(printed).toContain(`${file} is written. Start the gateway:\n\n  npx model-gateway migrate --config ${file}\n`);
});

test.each([
  ['gone/gateway.json', 'there is no such file or folder [ENOENT]'],
  ['.', 'it is a folder [EISDIR]'],
])('init says why it cannot write %s', async (name, reason) => {
  const folder = mkdtempSync(join(tmpdir(), 'init-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, name);
  const command = parseCommand(['init', '--yes', '--force', '--file', file]);
  if (command.type !== 'init') throw new Error('it is another command');
  const written = initConfig(command.options, { env: {}, write() {}, ask: undefined, close() {} });
  await expect(written).rejects.toThrow(`${file} cannot be written: ${reason}.`);
});

test('init says that no provider was found, and prints commands that a shell takes', async () => {
  const { printed } = await init(['--yes'], undefined, {}, 'my config.json');
  expect(printed).toContain('No provider was found: add one to the file, or in the web UI.');
  expect(printed).toMatch(/ {2}(npx )?model-gateway serve --config '\S+\/my config\.json'\n/);
  expect(printed).toMatch(/ {2}(npx )?model-gateway keys create --name NAME --config '\S+\/my config\.json'\n/);
});

test('init without questions takes the providers whose keys are set, and says which variables are missing', async () => {
  const found = await init(['--yes'], undefined, { ANTHROPIC_API_KEY: 'k' });
  expect(JSON.parse(found.text)).toEqual({
    server: { port: 8855 },
    providers: [{ slug: 'anthropic', preset: 'anthropic', apiKey: 'env:ANTHROPIC_API_KEY', discoverModels: true }],
  });
  const named = await init(['--yes', '--provider', 'azure', '--postgres'], undefined);
  expect(named.printed).toContain('Set AZURE_OPENAI_API_KEY, AZURE_OPENAI_ENDPOINT, DATABASE_URL, then start');
  await expect(named.again()).rejects.toThrow('exists already. Choose another one with --file');
  await expect(init(['--provider', 'opnai'], undefined)).rejects.toThrow(
    'There is no provider "opnai". Did you mean "openai"?',
  );
});
