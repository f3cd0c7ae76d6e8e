import { expect, test } from 'vitest';

import { settle, VIRTUAL_EPOCH_MS } from '../../../../test/support/async/virtual-platform.ts';
import { jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { createBox, createSetupGateway, type SetupGateway } from '../../../../test/support/gateways/setup-gateway.ts';
import { createRecordingStore } from '../../../../test/support/stores/recording-store.ts';
import { createSharedMemoryStore } from '../../../../test/support/stores/shared-memory-store.ts';

const PATH = '/admin/v1/setup/providers';
const ACME = {
  slug: 'acme',
  wire: 'openai',
  baseUrl: 'https://acme.example/v1',
  apiKey: 'sk-acme',
  discoverModels: true,
};
const MODEL = { id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1' }] };

async function createProcesses() {
  const store = Object.assign(
    createRecordingStore(),
    createSharedMemoryStore(() => VIRTUAL_EPOCH_MS),
  );
  const secrets = createBox();
  const [one, other] = [await createSetupGateway({ store, secrets }), await createSetupGateway({ store, secrets })];
  // Two processes must not make the same ids.
  other.platform.randomBytes(100);
  /** Lets a change be heard in all processes, as often as a store may say so. */
  const tell = async (...tables: Parameters<typeof store.tell>): Promise<void> => {
    store.tell(...tables);
    store.tell(...tables);
    await settle();
    await settle();
  };
  return { store, one, other, tell };
}

/** What the upstream said that it got: the address and the key. */
async function textOf(gateway: SetupGateway): Promise<string> {
  const body = jsonOf(await gateway.chat({ model: 'acme/chat' }));
  const [choice] = (body['choices'] ?? []) as { readonly message: { readonly content: string } }[];
  return choice?.message.content ?? JSON.stringify(body['error']);
}

test('a provider and a model that are set up at one process are called by the others, and changed, and gone', async () => {
  const { one, other, tell } = await createProcesses();
  await one.dataOf('POST', PATH, ACME);
  await one.dataOf('POST', '/admin/v1/setup/models', MODEL);
  await tell('providers', 'models');
  expect(await textOf(other)).toBe('https://acme.example/v1/chat/completions sk-acme');

  await other.dataOf('PATCH', `${PATH}/acme`, { baseUrl: 'https://moved.example/v1', apiKey: 'sk-new' });
  await tell('providers');
  expect(await textOf(one)).toBe('https://moved.example/v1/chat/completions sk-new');

  await one.dataOf('DELETE', '/admin/v1/setup/models/acme/chat');
  await one.dataOf('DELETE', `${PATH}/acme`);
  await tell('models', 'providers');
  expect(await textOf(other)).toContain('acme/chat');
  expect(await other.dataOf('GET', PATH)).toEqual([]);
});

test('a change of other tables, and one that changes nothing, puts nothing into force again', async () => {
  const { store, one, other, tell } = await createProcesses();
  await one.dataOf('POST', PATH, ACME);
  await tell('providers');
  const listed = (): number => other.upstream.exchanges.length;
  const before = listed();
  let reads = 0;
  const { list } = store.providers;
  Object.assign(store.providers, {
    list: () => {
      reads += 1;
      return list();
    },
  });
  await tell('keys', 'settings', 'guardrails');
  expect(reads).toBe(0);
  await tell('providers');
  expect([reads > 0, listed()]).toEqual([true, before]);
});

test('what another process has stored and cannot be put into force here is said in the log, and the rest stays', async () => {
  const { store, one, other, tell } = await createProcesses();
  await one.dataOf('POST', PATH, ACME);
  await one.dataOf('POST', '/admin/v1/setup/models', MODEL);
  await tell('providers', 'models');
  await store.providers.update('acme', (row) => ({ ...row, sealed: 'not ours' }));
  await tell('providers');
  expect(JSON.stringify(other.logged)).toContain('acme');
  await store.providers.update('acme', (row) => ({ ...row, sealed: null }));
  await tell('providers');
  expect(await textOf(other)).toContain('https://acme.example/v1');
});
