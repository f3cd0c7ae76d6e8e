import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { listen } from '@model-gateway/node/http';
import { expect, onTestFinished, test } from 'vitest';

import { MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createSetupGateway } from '../../../../test/support/gateways/setup-gateway.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { parseCommand } from '../commands/parse-command.ts';
import { updateCatalog } from './update-catalog.ts';

const MODELS = '/admin/v1/setup/models';
const LISTED = {
  data: [
    { id: 'chat-1', context_length: 2000, pricing: { prompt: '0.000001', completion: '0.000004' } },
    { id: 'chat-2', supported_parameters: ['seed'] },
  ],
};

/** A listening gateway whose provider lists these models, and a terminal whose user types these lines. */
async function prepare({ lines = [] as readonly string[], isTTY = false } = {}) {
  const json = { 'content-type': 'application/json' };
  const transport = createReplayTransport({ headers: json, pieces: [JSON.stringify(LISTED)] });
  const fixed = { slug: 'fixed', wire: 'openai', baseUrl: 'https://fixed.example/v1' };
  const gateway = await createSetupGateway({
    upstream: transport,
    web: { transport },
    config: {
      providers: [fixed],
      models: [
        { id: 'fixed/chat', endpoints: [{ provider: 'fixed', providerModel: 'chat-2', max_completion_tokens: 5 }] },
      ],
    },
  });
  await gateway.dataOf('POST', '/admin/v1/setup/providers', { ...fixed, slug: 'acme' });
  await gateway.dataOf('POST', MODELS, {
    id: 'acme/chat',
    endpoints: [
      {
        provider: 'acme',
        providerModel: 'chat-1',
        pricing: { prompt: '0.000001', completion: '0.000002' },
        max_completion_tokens: 1000,
      },
    ],
  });
  const listener = await listen(gateway.gateway, { port: 0 });
  onTestFinished(() => listener.close());
  let printed = '';
  let noted = '';
  const typed = [...lines];
  const terminal = {
    env: { MODEL_GATEWAY_MANAGEMENT_KEY: MANAGEMENT_KEY, LIST_KEY: 'key-of-the-list' },
    write: (text: string) => void (printed += text),
    note: (text: string) => void (noted += text),
    isTTY,
    ask: async () => typed.shift() ?? null,
    close: () => undefined,
  };
  return {
    transport,
    run: async (...words: readonly string[]) => {
      const command = parseCommand(['catalog', 'update', ...words, '--url', listener.url]);
      if (command.type !== 'catalog-update') throw new Error(`parsed as ${command.type}`);
      await updateCatalog(command.options, terminal);
      return { printed, noted };
    },
    completionPrice: async () => {
      const models = (await gateway.dataOf('GET', '/models')) as unknown as {
        id: string;
        pricing: { completion: string };
      }[];
      return models.find(({ id }) => id === 'acme/chat')?.pricing.completion;
    },
  };
}

test('prints what the lists of all providers state otherwise, and changes nothing without a yes', async () => {
  const { run, completionPrice } = await prepare();
  const { printed, noted } = await run();
  expect(printed).toMatch(/acme\/chat +acme +context_length +unknown +2,000\n/);
  expect(printed).toMatch(/acme\/chat +acme +pricing\.completion +\$2\/M +\$4\/M\n/);
  expect(printed).toMatch(/fixed\/chat +fixed +supported_parameters \(config file\) +unknown +\+seed\n/);
  expect(printed).toContain('acme: 1 of 2 listed models compared\n');
  expect(printed).toContain('3 changes found.\n1 of them only in the config file');
  expect(noted).toBe('Nothing was changed. Apply it with --apply.\n');
  expect(await completionPrice()).toBe('0.000002');
});

test.each<[string, readonly string[], string]>([
  ['applies it after a yes at a terminal', ['y'], '0.000004'],
  ['applies nothing after any other word', ['sure'], '0.000002'],
])('%s', async (_, lines, price) => {
  const { run, completionPrice } = await prepare({ lines, isTTY: true });
  expect((await run('--provider', 'acme')).noted).toContain('Apply 2 changes? [y/N] ');
  expect(await completionPrice()).toBe(price);
});

test('applies it without a question when told to, and then finds nothing', async () => {
  const { run, completionPrice } = await prepare();
  expect((await run('--from', 'acme', '--apply')).printed).toContain('Applied 2 changes to 1 model.');
  expect(await completionPrice()).toBe('0.000004');
  expect((await run('--from', 'acme')).printed).toContain('No change was found.\n');
});

test('reads an address with the key of the variable that is named, for the provider that is named', async () => {
  const { run, transport } = await prepare();
  const words = ['--from', 'https://lists.example/api/v1', '--provider', 'acme', '--key-env', 'LIST_KEY'];
  expect((await run(...words)).printed).toContain('acme (https://lists.example/api/v1/models): 1 of 2');
  const { url, headers } = transport.latest().request;
  expect([url, headers['authorization']]).toEqual(['https://lists.example/api/v1/models', 'Bearer key-of-the-list']);
});

test('reads a file, and prints the comparison as JSON', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'list-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'models.json');
  writeFileSync(file, JSON.stringify({ data: [{ id: 'chat-1', context_length: 77 }] }));
  const { run } = await prepare();
  const { printed } = await run('--from', file, '--provider', 'acme', '--json');
  expect(JSON.parse(printed)).toMatchObject({ changes: [{ field: 'context_length', to: 77 }], applied: null });
});

test.each<[readonly string[], string]>([
  [['--from', './models.json'], 'name the provider of ./models.json with --provider'],
  [
    ['--from', './gone.json', '--provider', 'acme'],
    'The list of models ./gone.json cannot be read: there is no such file or folder [ENOENT].',
  ],
  [['--from', 'acme', '--provider', 'beta'], 'name two providers'],
  [['--from', 'https://a.example/v1', '--provider', 'acme', '--key-env', 'NONE'], 'Set NONE to the key'],
  [['--from', 'nobody'], '"nobody" is not the slug of a provider in force; those are: fixed, acme'],
])('says what is wrong with %j', async (words, message) => {
  const { run } = await prepare();
  await expect(run(...words)).rejects.toThrow(message);
});
