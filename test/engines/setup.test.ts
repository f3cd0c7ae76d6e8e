import { expect, test } from 'vitest';

import { jsonOf } from '../support/gateways/core-gateway.ts';
import { createBox, createSetupGateway, type SetupGateway } from '../support/gateways/setup-gateway.ts';
import { createRecordingStore } from '../support/stores/recording-store.ts';
import { missingPostgres } from './support/engines.ts';
import { openTwoStores } from './support/postgres-stores.ts';

const PATH = '/admin/v1/setup/providers';
const ACME = { slug: 'acme', wire: 'openai', baseUrl: 'https://acme.example/v1', apiKey: 'sk-acme' };
const MODEL = { id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1' }] };

/** What the upstream said that it got: the address and the key. */
async function textOf(gateway: SetupGateway): Promise<string | undefined> {
  const body = jsonOf(await gateway.chat({ model: 'acme/chat' }));
  const [choice] = (body['choices'] ?? []) as { readonly message: { readonly content: string } }[];
  return choice?.message.content;
}

test.skipIf(missingPostgres)(
  'providers and models that are set up, changed and removed at one process hold at another within a second',
  async () => {
    const stores = await openTwoStores();
    const secrets = createBox();
    const open = (store: typeof stores.one): Promise<SetupGateway> =>
      createSetupGateway({ store: Object.assign(createRecordingStore(), store), secrets });
    const [one, other] = [await open(stores.one), await open(stores.other)];
    // Two processes must not make the same ids.
    other.platform.randomBytes(1000);

    await one.dataOf('POST', PATH, ACME);
    await one.dataOf('POST', '/admin/v1/setup/models', MODEL);
    await expect.poll(() => textOf(other)).toBe('https://acme.example/v1/chat/completions sk-acme');
    await other.dataOf('PATCH', `${PATH}/acme`, { baseUrl: 'https://moved.example/v1', apiKey: 'sk-new' });
    await expect.poll(() => textOf(one)).toBe('https://moved.example/v1/chat/completions sk-new');
    await one.dataOf('DELETE', '/admin/v1/setup/models/acme/chat');
    await one.dataOf('DELETE', `${PATH}/acme`);
    await expect.poll(() => textOf(other)).toBeUndefined();
    await expect.poll(() => other.dataOf('GET', PATH)).toEqual([]);
  },
);
