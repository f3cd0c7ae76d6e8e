import { expect, test } from 'vitest';

import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createRoutedGateway, type RoutedGateway } from '../../../../test/support/gateways/routed-gateway.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';

/** Two providers of one company under slugs of the operator's own, one with a variant, and a stranger. */
const PROVIDERS = {
  'my-openai': { name: 'OpenAI', preset: 'openai' },
  studio: { name: 'Our Studio', preset: 'google' },
  acme: { name: 'Acme Inc.' },
};
const CHAT: ModelDefinition = {
  id: 'r/chat',
  endpoints: [
    { provider: 'my-openai', providerModel: 'm', pricing: { prompt: '0.000001', completion: '0.000001' } },
    {
      provider: 'my-openai',
      providerModel: 't',
      tag: 'EU-Fast',
      pricing: { prompt: '0.000002', completion: '0.000002' },
    },
    { provider: 'studio', providerModel: 'm', pricing: { prompt: '0.000003', completion: '0.000003' } },
    { provider: 'acme', providerModel: 'm', pricing: { prompt: '0.000004', completion: '0.000004' } },
  ],
};
const ALL = ['my-openai', 'my-openai/EU-Fast', 'studio', 'acme'];
const but = (...tags: string[]): string[] => ALL.filter((tag) => !tags.includes(tag));

const gatewayOf = (options?: Parameters<typeof createRoutedGateway>[2]): RoutedGateway =>
  createRoutedGateway(PROVIDERS, [CHAT], options);

interface Explained {
  readonly included: string[];
  readonly unknown: unknown;
}

async function explain({ post }: RoutedGateway, provider: object): Promise<Explained> {
  const body = {
    model: 'r/chat',
    messages: [{ role: 'user', content: 'q' }],
    provider: { sort: 'price', ...provider },
  };
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const { data } = jsonOf(await post('/admin/v1/explain', body, { headers })) as {
    data: { endpoints: { provider: string; included: boolean }[]; unknown_providers: unknown };
  };
  const included = data.endpoints.filter((endpoint) => endpoint.included).map((endpoint) => endpoint.provider);
  return { included, unknown: data.unknown_providers };
}

test.each<[string, string[]]>([
  ['acme', ['acme']],
  ['ACME', ['acme']],
  ['acme inc.', ['acme']],
  [' Acme Inc. ', ['acme']],
  ['my-openai', ['my-openai', 'my-openai/EU-Fast']],
  ['openai', ['my-openai', 'my-openai/EU-Fast']],
  ['OpenAI', ['my-openai', 'my-openai/EU-Fast']],
  ['my-openai/EU-Fast', ['my-openai/EU-Fast']],
  ['OpenAI/eu-fast', ['my-openai/EU-Fast']],
  ['google', ['studio']],
  ['Google-AI-Studio', ['studio']],
  ['google ai studio', ['studio']],
  ['our studio', ['studio']],
])('in only, ignore and order "%s" stands for %j', async (name, tags) => {
  const gateway = gatewayOf();
  expect(await explain(gateway, { only: [name] })).toEqual({ included: tags, unknown: [] });
  expect(await explain(gateway, { ignore: [name] })).toEqual({ included: but(...tags), unknown: [] });
  expect(await explain(gateway, { order: [name] })).toEqual({ included: [...tags, ...but(...tags)], unknown: [] });
  expect((await explain(gateway, { order: [name], allow_fallbacks: false })).included).toEqual(tags);
});

test('a provider whose slug is written exactly is meant alone; any other name means all that bear it', async () => {
  const models = [{ ...CHAT, endpoints: ['openai', 'spare'].map((provider) => ({ provider, providerModel: 'm' })) }];
  const openai = { name: 'OpenAI', preset: 'openai' };
  const gateway = createRoutedGateway({ openai, spare: openai }, models);
  expect((await explain(gateway, { ignore: ['openai'] })).included).toEqual(['spare']);
  expect((await explain(gateway, { only: ['openai'] })).included).toEqual(['openai']);
  expect((await explain(gateway, { ignore: ['OpenAI'] })).included).toEqual([]);
  expect((await explain(gateway, { only: ['OpenAI'] })).included).toEqual(['openai', 'spare']);
});

test('a preset that is not configured is known, and stands for no endpoint', async () => {
  const gateway = gatewayOf();
  expect(await explain(gateway, { only: ['Groq'] })).toEqual({ included: [], unknown: [] });
  expect(await explain(gateway, { ignore: ['groq', 'groq/turbo'] })).toEqual({ included: ALL, unknown: [] });
});

test('names that nobody knows are allowed, and reported by the metadata, the refusal and the explanation', async () => {
  const gateway = gatewayOf();
  const provider = { order: ['nobody', 'acme'], ignore: ['Nobody', 'nobody', 'my-openai/slow'], only: ['acme'] };
  const unknown = ['nobody', 'Nobody', 'my-openai/slow'];
  expect(await explain(gateway, provider)).toEqual({ included: ['acme'], unknown });
  const header = { 'x-service-experimental-metadata': 'enabled' };
  const response = await gateway.ask({ provider }, header);
  expect([response.status, jsonOf(response)['service_metadata']]).toMatchObject([200, { unknown_providers: unknown }]);
  const plain = await gateway.ask({ provider: { only: ['acme'] } }, header);
  expect(jsonOf(plain)['service_metadata']).not.toHaveProperty('unknown_providers');
  const refused = await gateway.ask({ provider: { only: ['nobody'] } });
  expect([refused.status, jsonOf(refused)]).toMatchObject([
    404,
    {
      error: {
        message: expect.stringContaining('provider names unknown providers: nobody') as string,
        metadata: { unknown_providers: ['nobody'] },
      },
    },
  ]);
});

test('the account’s own lists take the same names, from the configuration as from the API', async () => {
  const configured = gatewayOf({ account: { providers: { ignore: ['OPENAI'], only: ['Openai', 'acme inc.'] } } });
  expect((await explain(configured, {})).included).toEqual(['acme']);
  const set = gatewayOf();
  const settings = { providers: { ignore: ['OpenAI'], only: ['GOOGLE', 'openai'] } };
  const response = await set.gateway.handle({
    method: 'PATCH',
    path: '/admin/v1/settings',
    query: '',
    baseUrl: 'https://gateway.example',
    headers: { authorization: `Bearer ${MANAGEMENT_KEY}` },
    signal: new AbortController().signal,
    ...bodyOf(JSON.stringify(settings)),
  });
  expect(jsonOf(response)).toMatchObject({ data: settings });
  expect((await explain(set, {})).included).toEqual(['studio']);
});

test('names that go up to a gateway are not reported here, where it may serve the call', async () => {
  const gateway = createRoutedGateway({ ...PROVIDERS, acme: { ...PROVIDERS.acme, gateway: { plugins: new Set() } } }, [
    CHAT,
  ]);
  expect(await explain(gateway, { only: ['Parasail'], ignore: ['novita'] })).toEqual({
    included: ['acme'],
    unknown: [],
  });
  expect(await explain(gateway, { order: ['PARASAIL/east'] })).toEqual({
    included: ['acme', ...but('acme')],
    unknown: [],
  });
  // Nobody behind a gateway is meant by a tag of a provider here.
  const ofHere = await explain(gateway, { order: ['parasail', 'OpenAI/slow', 'My-OpenAI/slow'] });
  expect(ofHere).toEqual({ included: ['acme', ...but('acme')], unknown: ['OpenAI/slow', 'My-OpenAI/slow'] });
  expect(await explain(gateway, { only: ['Our Studio', 'OpenAI'] })).toEqual({ included: but('acme'), unknown: [] });
  expect(await explain(gateway, { order: ['nobody'], ignore: ['acme'] })).toEqual({
    included: but('acme'),
    unknown: ['nobody'],
  });
});

test('names of providers behind a gateway are taken in lists of ignored ones alone', async () => {
  const openrouter = { preset: 'openrouter', gateway: { plugins: new Set<string>() } };
  const management = { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } };
  const rail = async ({ post }: RoutedGateway, field: string, name: string): Promise<number> =>
    (await post('/api/v1/guardrails', { name: 'rail', [field]: [name] }, management)).status;
  const gateway = createRoutedGateway({ ...PROVIDERS, openrouter }, [CHAT]);
  expect(await rail(gateway, 'ignored_providers', 'Novita')).toBe(201);
  expect(await rail(gateway, 'ignored_providers', 'acme/x')).toBe(400);
  expect(await rail(gateway, 'allowed_providers', 'Novita')).toBe(400);
  expect(await rail(gatewayOf(), 'ignored_providers', 'Novita')).toBe(400);
});
