import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { TEST_KEY } from '../support/gateways/test-gateway.ts';
import { openClusterConfig } from './support/cluster-config.ts';
import { missingEngines } from './support/engines.ts';
import { type Ended, makeFolder, serve, serveWell, untilReady } from './support/run-command.ts';

const TWO = ['--workers', '2'];

/** A provider that says in which process it runs. */
const PROVIDER = `export const createProvider = (_, { slug }) => ({
  slug, name: 'House', dataPolicy: { training: null, retainsPrompts: null },
  async *chat() {
    const end = { finish_reason: 'stop', native_finish_reason: 'stop' };
    yield [{ choices: [{ index: 0, delta: { content: String(process.pid) }, ...end }] }];
  },
});`;

async function openConfig(code: string): Promise<object> {
  const module = join(makeFolder(), 'house.mjs');
  writeFileSync(module, code);
  const models = [{ id: 'house/pid', endpoints: [{ provider: 'house', providerModel: 'pid' }] }];
  const { config } = await openClusterConfig({ providers: [{ slug: 'house', module }], models });
  return config;
}

test.skipIf(missingEngines)('each worker loads the modules of the config file', async () => {
  const gateway = await serveWell(await openConfig(PROVIDER), { args: TWO });
  await untilReady(gateway);
  const seen = new Set<string>();
  const ask = async (): Promise<string[]> => {
    const response = await fetch(`${gateway.url}/api/v1/chat/completions`, {
      method: 'POST',
      // A new connection, which another worker may take.
      headers: { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ model: 'house/pid', messages: [{ role: 'user', content: 'Who?' }] }),
    });
    const { choices } = (await response.json()) as { readonly choices: { readonly message: { content: string } }[] };
    seen.add(choices[0]?.message.content ?? '');
    return [...seen].toSorted();
  };
  await expect.poll(ask).toEqual(gateway.workers().map(String).toSorted());
});

test.skipIf(missingEngines)('a module that fails ends the start of all workers, with the reason', async () => {
  const ended = (await serve(await openConfig(''), { args: TWO })) as Ended;
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain('must export a function createProvider(options, context)');
});
