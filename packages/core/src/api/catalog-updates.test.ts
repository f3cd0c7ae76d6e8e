import { expect, test } from 'vitest';

import { jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { createBox, createSetupGateway, type SetupGateway } from '../../../../test/support/gateways/setup-gateway.ts';
import {
  createScriptedTransport,
  type ScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import type { AppliedChanges, CatalogComparisonBody } from '../wire/catalog-comparison.ts';

const COMPARE = '/admin/v1/setup/catalog/comparisons';
const APPLY = '/admin/v1/setup/catalog/changes';
const MODELS = '/admin/v1/setup/models';

const ACME = { slug: 'acme', wire: 'openai', baseUrl: 'https://acme.example/v1' };
const MODEL = {
  id: 'acme/chat',
  endpoints: [{ provider: 'acme', providerModel: 'chat-1', pricing: { prompt: '0.000001', completion: '0.000002' } }],
};
const LISTED = {
  id: 'chat-1',
  context_length: 2000,
  pricing: { prompt: '0.000001', completion: '0.000004' },
  architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
};
const DEARER = { model: 'acme/chat', provider: 'acme', field: 'pricing.completion', from: '0.000002', to: '0.000004' };

/** An upstream that lists these models at every address, and completes chats. */
function createListing(list: unknown, status = 200): ScriptedTransport {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }];
  return createScriptedTransport((exchange) => {
    const isList = exchange.request.method === 'GET';
    exchange.respond(isList ? status : 200, { 'content-type': 'application/json' });
    exchange.push(JSON.stringify(isList ? list : { id: 'c', model: 'm', choices, usage }));
    exchange.end();
  });
}

async function withAcme(options: Parameters<typeof createSetupGateway>[0] = {}): Promise<SetupGateway> {
  const gateway = await createSetupGateway({ upstream: createListing({ data: [LISTED] }), ...options });
  await gateway.dataOf('POST', '/admin/v1/setup/providers', ACME);
  await gateway.dataOf('POST', MODELS, MODEL);
  return gateway;
}

const compare = async (gateway: SetupGateway, body: object = {}) =>
  (await gateway.dataOf('POST', COMPARE, body)) as unknown as CatalogComparisonBody;
const apply = async (gateway: SetupGateway, changes: readonly object[]) =>
  (await gateway.dataOf('POST', APPLY, { changes })) as unknown as AppliedChanges;
const costOf = async (gateway: SetupGateway) => jsonOf(await gateway.chat())['usage'];

test('says what the lists of the providers state otherwise, and changes nothing', async () => {
  const gateway = await withAcme();
  const { changes, lists, notes } = await compare(gateway);
  expect(changes.map(({ model, field, from, to, blocked }) => [model, field, from, to, blocked])).toEqual([
    ['acme/chat', 'context_length', null, 2000, null],
    ['acme/chat', 'pricing.completion', '0.000002', '0.000004', null],
    ['acme/chat', 'input_modalities', null, ['text', 'image'], null],
  ]);
  expect(lists).toEqual([{ provider: 'acme', from: null, listed: 1, compared: 1, problem: null }]);
  expect(notes).toEqual([]);
  expect(await costOf(gateway)).toMatchObject({ cost: 0.000003 });
});

test('an applied price is charged from the next call on, and the others stay', async () => {
  const gateway = await withAcme();
  const { applied, models } = await apply(gateway, [DEARER]);
  expect(applied).toBe(1);
  expect(models).toMatchObject([{ id: 'acme/chat', before: MODEL }]);
  expect(await costOf(gateway)).toMatchObject({ cost: 0.000005 });
  expect((await compare(gateway)).changes.map(({ field }) => field)).toEqual(['context_length', 'input_modalities']);
});

test('everything that was found can be applied at once', async () => {
  const gateway = await withAcme();
  const { changes } = await compare(gateway);
  await apply(
    gateway,
    changes.map(({ blocked: _, ...change }) => change),
  );
  expect(await gateway.dataOf('GET', MODELS)).toMatchObject([
    {
      status: 'ready',
      definition: {
        architecture: { input_modalities: ['text', 'image'] },
        endpoints: [{ providerModel: 'chat-1', context_length: 2000, pricing: LISTED.pricing }],
      },
    },
  ]);
  expect((await compare(gateway)).changes).toEqual([]);
});

test('of a built-in model the difference alone is stored, survives another start, and is undone by deleting it', async () => {
  const secrets = createBox();
  const first = await createSetupGateway({ secrets });
  await first.dataOf('POST', '/admin/v1/setup/providers', { preset: 'groq', apiKey: 'gsk-of-the-test' });
  const document = { data: [{ id: 'llama-3.3-70b-versatile', context_length: 4711 }] };
  const { changes } = await compare(first, { provider: 'groq', document });
  expect(changes).toMatchObject([{ model: 'meta-llama/llama-3.3-70b-instruct', field: 'context_length', to: 4711 }]);
  const { models } = await apply(
    first,
    changes.map(({ blocked: _, ...change }) => change),
  );
  const [made] = models;
  expect(made).toEqual({
    id: 'meta-llama/llama-3.3-70b-instruct',
    before: null,
    after: { id: made?.id, endpoints: [{ provider: 'groq', context_length: 4711 }] },
  });
  const second = await createSetupGateway({ secrets, store: first.store });
  expect((await compare(second, { provider: 'groq', document })).changes).toEqual([]);
  await second.call('DELETE', `${MODELS}/${made?.id}`);
  expect((await compare(second, { provider: 'groq', document })).changes).toHaveLength(1);
});

test('reads the list of an address for the provider that is named, with the key for it alone', async () => {
  const transport = createListing({ data: [LISTED] });
  const gateway = await withAcme({ web: { transport } });
  const url = 'https://lists.example/api/v1/models?token=hidden';
  const { changes, lists } = await compare(gateway, { provider: 'acme', url, api_key: 'key-of-the-list' });
  expect(changes).toHaveLength(3);
  expect(lists).toMatchObject([{ provider: 'acme', from: 'https://lists.example/api/v1/models' }]);
  expect(transport.latest().request).toMatchObject({ url, headers: { authorization: 'Bearer key-of-the-list' } });
});

test.each<[string, object, string]>([
  ['a provider that is not there', { provider: 'acmee' }, 'provider'],
  ['an address without a provider', { url: 'https://lists.example/models' }, 'provider'],
  ['an address that is none', { provider: 'acme', url: 'file:///etc/passwd' }, 'url'],
  ['an address, where the gateway has no access to any', { provider: 'acme', url: 'https://a.example/' }, 'url'],
  ['a document that is no list', { provider: 'acme', document: { hello: 1 } }, 'document'],
  ['a document and an address', { provider: 'acme', document: [], url: 'https://a.example/' }, 'document'],
  ['a key without an address', { provider: 'acme', api_key: 'x' }, 'api_key'],
])('refuses %s by its field', async (_, body, path) => {
  const gateway = await withAcme();
  expect(await gateway.call('POST', COMPARE, body)).toMatchObject({
    status: 400,
    body: { error: { metadata: { issues: [{ path }] } } },
  });
});

test('an address that answers with an error is refused without its key', async () => {
  const transport = createListing({ error: 'bad key-of-the-list' }, 401);
  const gateway = await withAcme({ web: { transport } });
  const body = { provider: 'acme', url: 'https://lists.example/models', api_key: 'key-of-the-list' };
  const refused = await gateway.call('POST', COMPARE, body);
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain('answered with status 401');
  expect(JSON.stringify(refused.body)).not.toContain('key-of-the-list');
});

test('a provider that does not list is reported, and the others are compared', async () => {
  const upstream = createScriptedTransport((exchange) => {
    const isBroken = exchange.request.url.includes('broken');
    exchange.respond(isBroken ? 500 : 200, { 'content-type': 'application/json' });
    exchange.push(isBroken ? 'oops' : JSON.stringify({ data: [LISTED] }));
    exchange.end();
  });
  const gateway = await withAcme({ upstream });
  await gateway.dataOf('POST', '/admin/v1/setup/providers', {
    ...ACME,
    slug: 'broken',
    baseUrl: 'https://broken.example/v1',
  });
  const { lists, changes } = await compare(gateway);
  expect(lists).toMatchObject([
    { provider: 'acme', problem: null },
    { provider: 'broken', listed: 0, problem: expect.stringMatching(/./) },
  ]);
  expect(changes).toHaveLength(3);
});

test('a model of the configuration is compared, and changed there alone', async () => {
  const config = { providers: [ACME], models: [MODEL] };
  const gateway = await createSetupGateway({ config, upstream: createListing({ data: [LISTED] }) });
  const { changes } = await compare(gateway);
  expect(changes.map(({ blocked }) => blocked)).toEqual(Array(3).fill(expect.stringContaining('The configuration')));
  expect((await gateway.call('POST', APPLY, { changes: [DEARER] })).status).toBe(400);
  expect(await gateway.dataOf('GET', MODELS)).toMatchObject([{ source: 'config' }]);
});

test.each<[string, object, number]>([
  ['what the catalog says by now', { ...DEARER, from: '0.000009' }, 409],
  ['a model that is not served', { ...DEARER, model: 'acme/gone' }, 409],
  ['another provider', { ...DEARER, provider: 'beta' }, 409],
  ['a field that lists do not state', { ...DEARER, field: 'providerModel' }, 400],
  ['a unit that there is not', { ...DEARER, field: 'pricing.__proto__' }, 400],
  ['a price that is none', { ...DEARER, to: '-1' }, 400],
  ['a number of another kind', { ...DEARER, field: 'context_length', from: null, to: 'many' }, 400],
])('applies nothing when one of the changes does not fit %s', async (_, change, status) => {
  const gateway = await withAcme();
  const fine = { ...DEARER, field: 'context_length', from: null, to: 2000 };
  expect((await gateway.call('POST', APPLY, { changes: [fine, change] })).status).toBe(status);
  expect(await gateway.dataOf('GET', MODELS)).toMatchObject([{ definition: MODEL, updated_at: null }]);
  expect(await costOf(gateway)).toMatchObject({ cost: 0.000003 });
});
