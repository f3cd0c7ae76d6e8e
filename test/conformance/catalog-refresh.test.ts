import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, expect, test } from 'vitest';

import { readDataFiles, saveDataFile } from '../../scripts/catalog/data-files.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/refresh-catalog.ts', import.meta.url));
const BUILT_IN = fileURLToPath(new URL('../../packages/core/src/catalog/built-in', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'catalog-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let counter = 0;

const ACME = `{
  "sources": [{ "url": "https://acme.example/pricing", "date": "2026-01-01" }],
  "parameterSets": { "chat": ["temperature", "top_p"] },
  "models": [
    {
      "id": "acme/large",
      "context_length": 1000,
      "endpoints": [
        {
          "provider": "groq",
          "providerModel": "large-1",
          "max_completion_tokens": 100,
          "pricing": {
            "prompt": "0.000001",
            "completion": "0.000002",
            "input_cache_write_1h": "0.000003",
            "overrides": [{ "min_prompt_tokens": 500, "prompt": "0.000002" }]
          },
          "supported_parameters": "chat"
        },
        { "provider": "xai", "providerModel": "large-1", "pricing": { "prompt": "9", "completion": "9" } }
      ]
    },
    { "id": "acme/new", "endpoints": [{ "provider": "groq", "providerModel": "new-1" }] },
    { "id": "acme/gone", "endpoints": [{ "provider": "groq", "providerModel": "gone-1" }] }
  ]
}
`;

/** A directory with one data file. */
function makeData(): { directory: string; read: () => string } {
  const directory = join(folder, String(++counter));
  cpSync(BUILT_IN, directory, { recursive: true, filter: (path) => path === BUILT_IN });
  const path = join(directory, 'acme.json');
  writeFileSync(path, ACME);
  return { directory, read: () => readFileSync(path, 'utf8') };
}

/** Runs the script against a server that responds to every request with this list. */
async function refresh(list: unknown, args: readonly string[], env: Record<string, string> = {}) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(list));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  const { code, stdout, stderr } = await run(
    args.map((arg) => arg.replace('URL', url)),
    env,
  );
  server.close();
  return { code, stdout, stderr, requests, url };
}

function run(args: readonly string[], env: Record<string, string> = {}) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [SCRIPT, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

const LISTED = {
  data: [
    {
      id: 'large-1',
      context_length: 2000,
      pricing: { prompt: '0.0000015', completion: '0.00000200', image: '0', request: '-1' },
      top_provider: { max_completion_tokens: 100 },
    },
    { id: 'acme/new', context_window: 300, pricing: { prompt: '0', completion: '0' } },
    { id: 'unheard-of', pricing: { prompt: '1', completion: '1' } },
  ],
};

test('shows what a list states otherwise, takes it over, and leaves the rest as it was', async () => {
  const { directory, read } = makeData();
  const { code, stdout, url } = await refresh(LISTED, ['--from', 'URL', '--provider', 'groq', '--data', directory]);
  expect(code).toBe(0);
  expect(stdout).toContain('acme/large  context_length\n- 1000\n+ 2000\n');
  expect(stdout).toContain('acme/large  pricing.prompt\n- "0.000001"\n+ "0.0000015"\n');
  expect(stdout).toContain('acme/new  context_length\n- not known\n+ 300\n');
  expect(stdout).toContain('! acme/large: its prices changed, but the list has none for long prompts');
  expect(stdout).toContain('! acme/new: its prices are not taken over: {"prompt":"0","completion":"0"}');
  expect(stdout).toContain('? acme/gone: gone-1 is not listed any more');
  expect(stdout).toContain('2 of 3 listed models are in the catalog at groq.\nNot in it: unheard-of\n');

  const today = new Date().toISOString().slice(0, 10);
  const expected = ACME.replace('"prompt": "0.000001"', '"prompt": "0.0000015"')
    .replace('"supported_parameters": "chat"', '"supported_parameters": "chat", "context_length": 2000')
    .replace('"providerModel": "new-1" }', '"providerModel": "new-1", "context_length": 300 }')
    .replace('2026-01-01', `2026-01-01" }, { "url": "${url}/models", "date": "${today}`);
  const plain = (text: string): string => text.replaceAll(/[\s,]+/g, '');
  expect(plain(read())).toBe(plain(expected));
});

test('leaves a file as it was, formatting included, when no fact changes', () => {
  const { directory } = makeData();
  for (const { path, data } of readDataFiles(BUILT_IN)) {
    const copy = join(directory, basename(path));
    cpSync(path, copy);
    saveDataFile(copy, data);
    expect(readFileSync(copy, 'utf8')).toBe(readFileSync(path, 'utf8'));
  }
});

test('writes nothing in a dry run', async () => {
  const { directory, read } = makeData();
  const { stdout } = await refresh(LISTED, [
    '--from',
    'URL/models/',
    '--provider',
    'groq',
    '--data',
    directory,
    '--dry-run',
  ]);
  expect(stdout).toContain('+ 2000');
  expect(read()).toBe(ACME);
});

test.each([
  ['numbers, which may be of a million tokens', { prompt: 0.5, completion: 1 }],
  ['other names', { input: '0.000001', output: '0.000002' }],
  ['prices that are not known', { prompt: '-1', completion: '-1' }],
  ['one price of two', { prompt: '0.000007' }],
  ['a scale of its own', { prompt: '7e-6', completion: '7e-6' }],
])('invents no price from %s', async (_name, pricing) => {
  const { directory, read } = makeData();
  const list = { data: [{ id: 'large-1', pricing }] };
  const { stdout } = await refresh(list, ['--from', 'URL', '--provider', 'groq', '--data', directory]);
  expect(stdout).toContain('! acme/large: its prices are not taken over');
  expect(read()).toContain('"prompt": "0.000001"');
  expect(read()).toContain('"completion": "0.000002"');
});

test('sends the key of the variable that is named, and prints it nowhere', async () => {
  const { directory } = makeData();
  const key = 'secret-of-the-gateway';
  const args = ['--from', 'URL', '--provider', 'groq', '--data', directory, '--key-env', 'MY_KEY'];
  const { requests, stdout, stderr } = await refresh(LISTED, args, { MY_KEY: key });
  expect(requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/api/v1/models', `Bearer ${key}`],
  ]);
  expect(stdout + stderr).not.toContain(key);
});

test.each([
  [[], 'Say from where'],
  [['--from', 'http://127.0.0.1:1'], 'name the provider with --provider'],
  [['--from', 'nobody'], '"nobody" is neither an address nor a preset'],
  [['--from', 'groq'], 'Set GROQ_API_KEY to the key for this list.'],
])('says what to do about %j', async (args, message) => {
  const { code, stderr } = await run(args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('fails on a response that is no list, and changes nothing', async () => {
  const { directory, read } = makeData();
  const { code, stderr } = await refresh({ hello: 1 }, ['--from', 'URL', '--provider', 'groq', '--data', directory]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('The response is no list of models')]);
  expect(read()).toBe(ACME);
});
