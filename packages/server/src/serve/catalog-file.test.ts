import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { PRESETS } from '@model-gateway/core/providers/presets';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { loadConfig } from '@model-gateway/node';
import { expect, onTestFinished, test } from 'vitest';

import { writeTestConfig } from '../../../../test/support/gateways/write-test-config.ts';
import { compose } from './compose.ts';

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const pricing = (prompt: string) => ({ prompt, completion: '0.000002' });

test('the catalog is compared with the list of a file that the config file names', async () => {
  const file = writeTestConfig({});
  const list = { data: [{ id: 'chat-1', pricing: pricing('0.0000011') }] };
  writeFileSync(join(dirname(file), 'prices.json'), JSON.stringify(list));
  const endpoint = { provider: 'acme', providerModel: 'chat-1', pricing: pricing('0.000001') };
  const text = JSON.stringify({
    store: { type: 'memory' },
    providers: [{ slug: 'acme', wire: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'k' }],
    models: [{ id: 'acme/chat', endpoints: [endpoint] }],
    catalog: { update: { from: 'prices.json', provider: 'acme' } },
  });
  writeFileSync(file, text);
  const store = createMemoryStore();
  const config = loadConfig({ file, env: {}, presets: PRESETS });
  const { gateway, closeAfterwards } = await compose({ config, store, logger, extraKeys: [], demoFixturesDir: null });
  onTestFinished(async () => {
    await gateway.close();
    for (const part of closeAfterwards) await part.close();
  });
  await gateway.start();
  await expect
    .poll(() => store.settings.get().catalog)
    .toMatchObject({
      lists: [{ provider: 'acme', from: 'document' }],
      changes: [{ model: 'acme/chat', field: 'pricing.prompt', to: '0.0000011' }],
    });
});
