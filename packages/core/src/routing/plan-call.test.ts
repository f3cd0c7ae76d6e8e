import fc from 'fast-check';
import { expect, test } from 'vitest';

import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { createRoutedGateway, endpointsAt, responderOf } from '../../../../test/support/gateways/routed-gateway.ts';
import type { CallPreferences } from '../calls/call-kind.ts';
import { chatKind } from '../chat/chat-kind.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';
import { sortOf, tiersOf } from './plan-call.ts';
import type { RouterQuery } from './routers.ts';

const THREE = { cheap: {}, middle: {}, dear: {} };
const PRICES = { cheap: 1, middle: 2, dear: 3 };
const CHAT: ModelDefinition = { id: 'r/chat', endpoints: endpointsAt(PRICES) };

const modelOf = (id: string, prices: Readonly<Record<string, number>>): ModelDefinition => ({
  id,
  endpoints: endpointsAt(prices).map((endpoint) => ({ ...endpoint, providerModel: id })),
});

test('balances by one over the square of the price', async () => {
  const { askedFor } = createRoutedGateway(THREE, [CHAT]);
  const counts: Record<string, number> = {};
  for (let i = 0; i < 490; i += 1) {
    const [slug = ''] = await askedFor();
    counts[slug] = (counts[slug] ?? 0) + 1;
  }
  // 36, 9 and 4 of 49, within five standard deviations.
  expect(counts['cheap']).toBeGreaterThan(311);
  expect(counts['cheap']).toBeLessThan(409);
  expect(counts['middle']).toBeGreaterThan(47);
  expect(counts['dear']).toBeGreaterThan(10);
});

test('calls the others by price when the first fails', async () => {
  const { askedFor, behave } = createRoutedGateway(THREE, [CHAT]);
  for (const slug of Object.keys(THREE)) behave(slug, 'provider_unavailable');
  expect(await askedFor({ provider: { sort: 'price' } })).toEqual(['cheap', 'middle', 'dear']);
});

test.each([
  [{ order: ['dear', 'cheap'] }, ['dear', 'cheap', 'middle']],
  [{ order: ['dear', 'cheap'], allow_fallbacks: false }, ['dear', 'cheap']],
  [{ order: ['nobody', 'dear'], allow_fallbacks: false }, ['dear']],
  [{ order: ['nobody'], allow_fallbacks: false }, []],
  [{ sort: 'price', allow_fallbacks: false }, ['cheap']],
  [{ order: [], sort: 'price' }, ['cheap', 'middle', 'dear']],
  [{ sort: { by: 'price' }, ignore: ['middle'] }, ['cheap', 'dear']],
])('with %j calls %j in turn', async (provider, expected) => {
  const { askedFor, behave } = createRoutedGateway(THREE, [CHAT]);
  for (const slug of Object.keys(THREE)) behave(slug, 'provider_unavailable');
  expect(await askedFor({ provider })).toEqual(expected);
});

test('never calls an endpoint that is excluded, on any attempt', async () => {
  const slugs = Object.keys(THREE);
  const list = fc.option(fc.subarray([...slugs, 'nobody']), { nil: null });
  const preferences = fc.record({
    only: list,
    ignore: list,
    order: list,
    allow_fallbacks: fc.boolean(),
    sort: fc.constantFrom(null, 'price', 'throughput', 'latency', 'exacto'),
    max_price: fc.constantFrom({}, { prompt: 1 }, { prompt: 2 }, { completion: '2.5' }),
  });
  await fc.assert(
    fc.asyncProperty(preferences, fc.subarray(slugs), async (provider, failing) => {
      const { askedFor, behave } = createRoutedGateway(THREE, [CHAT]);
      for (const slug of failing) behave(slug, 'provider_overloaded');
      const asked = await askedFor({ provider });
      for (const slug of asked) {
        const price = PRICES[slug as keyof typeof PRICES];
        expect(provider.only?.length ? provider.only.includes(slug) : true).toBe(true);
        expect(provider.ignore?.includes(slug) ?? false).toBe(false);
        const { prompt = 9, completion = 9 } = provider.max_price as { prompt?: number; completion?: string };
        expect(price).toBeLessThanOrEqual(Math.min(prompt, Number(completion)));
        if (provider.allow_fallbacks === false && provider.order?.length) expect(provider.order).toContain(slug);
      }
      expect(new Set(asked).size).toBe(asked.length);
    }),
    { numRuns: 150 },
  );
});

test('responds with 404 when no endpoint is left, and names the rule for each', async () => {
  const { ask, calls } = createRoutedGateway(THREE, [CHAT]);
  const response = await ask({ provider: { ignore: ['cheap'], max_price: { prompt: 0.5 } } });
  expect(response.status).toBe(404);
  expect(jsonOf(response)).toMatchObject({
    error: {
      metadata: {
        error_type: 'not_found',
        excluded: [
          { provider: 'cheap', model: 'r/chat', rule: 'ignore' },
          { provider: 'middle', rule: 'max_price' },
          { provider: 'dear', rule: 'max_price' },
        ],
      },
    },
  });
  expect(calls).toEqual([]);
});

test.each<[string, Partial<ModelDefinition['endpoints'][number]>, string]>([
  ['send max_tokens', {}, 'send max_tokens, or have a context_length configured for the model'],
  ['price the model', { pricing: undefined }, 'have its prices configured (pricing.prompt and pricing.completion'],
])('under a limit on spending, says to %s where that would bound the cost', async (_, change, advice) => {
  const model = { id: 'r/chat', endpoints: endpointsAt({ cheap: 1 }, change) };
  const { ask, calls } = createRoutedGateway({ cheap: {} }, [model], { account: { creditsUsd: 10 } });
  const response = await ask();
  expect(response.status).toBe(404);
  const { error } = jsonOf(response) as { error: { message: string } };
  expect(error.message).toContain('excluded: cheap (cost_unknown). A spending limit applies');
  expect(error.message).toContain(advice);
  expect(calls).toEqual([]);
});

test('says that the request is too long when every endpoint is too short for it', async () => {
  const short = { ...CHAT, context_length: 1000 };
  const { ask, calls } = createRoutedGateway(THREE, [short]);
  const messages = [{ role: 'user', content: 'x'.repeat(6100) }];
  const response = await ask({ messages, plugins: [{ id: 'context-compression', enabled: false }] });
  expect(response.status).toBe(400);
  expect(jsonOf(response)).toMatchObject({
    error: {
      message: expect.stringContaining('"context-compression"') as string,
      metadata: { error_type: 'context_length_exceeded' },
    },
  });
  expect((await ask({ messages, transforms: [] })).status).toBe(400);
  expect((await ask({ max_tokens: 1001 })).status).toBe(400);
  expect(calls).toEqual([]);
});

test('uses the account default model, and the model that served is the one named', async () => {
  const { ask } = createRoutedGateway(THREE, [CHAT, modelOf('r/other', { dear: 1 })], {
    account: { defaultModel: 'r/other' },
  });
  expect(jsonOf(await ask({ model: undefined }))).toMatchObject({ model: 'r/other', provider: 'DEAR' });
});

test.each([
  ['keeps to the order of models', {}, ['middle a/first', 'dear a/first', 'cheap a/second']],
  [
    'sorts the endpoints of all models together',
    { provider: { sort: { by: 'price', partition: 'none' } } },
    ['cheap a/second', 'middle a/first', 'dear a/first'],
  ],
  [
    'sorts them together for the older route',
    { provider: { sort: 'price' }, route: 'sort' },
    ['cheap a/second', 'middle a/first', 'dear a/first'],
  ],
  [
    'keeps to the order for the older fallback',
    { provider: { sort: 'price' }, route: 'fallback' },
    ['middle a/first', 'dear a/first', 'cheap a/second'],
  ],
])('%s', async (_name, body, expected) => {
  const { ask, calls, behave } = createRoutedGateway(THREE, [
    modelOf('a/first', { middle: 2, dear: 3 }),
    modelOf('a/second', { cheap: 1 }),
  ]);
  for (const slug of Object.keys(THREE)) behave(slug, 'provider_unavailable');
  await ask({ provider: { sort: 'price' }, model: undefined, models: ['a/first', 'a/second'], ...body });
  expect(calls).toEqual(expected);
});

test('goes on to the next model after a mistake that every endpoint of the first would see', async () => {
  const { ask, calls } = createRoutedGateway(
    { cheap: { behaviour: 'content_policy_violation' }, middle: {}, dear: {} },
    [modelOf('a/first', { cheap: 1, middle: 2 }), modelOf('a/second', { dear: 3 })],
  );
  const response = await ask({ model: 'a/first', models: ['a/second'], provider: { sort: 'price' } });
  expect(jsonOf(response)).toMatchObject({ model: 'a/second' });
  expect(calls).toEqual(['cheap a/first', 'dear a/second']);
});

test('goes on to a longer endpoint when the prompt was too long for the first', async () => {
  const [cheap, middle, dear] = endpointsAt(PRICES);
  const model = {
    id: 'r/chat',
    endpoints: [
      { ...cheap, context_length: 1000 },
      { ...middle, context_length: 1000 },
      { ...dear, context_length: 9000 },
    ],
  } as ModelDefinition;
  const { askedFor } = createRoutedGateway({ ...THREE, cheap: { behaviour: 'context_length_exceeded' } }, [model]);
  expect(await askedFor({ provider: { sort: 'price' } })).toEqual(['cheap', 'dear']);
});

test('lets routers choose among the models that no rule excludes, and names the one that served', async () => {
  const models = [
    modelOf('a/free', { cheap: 0 }),
    modelOf('a/paid', { cheap: 1, dear: 5 }),
    { ...modelOf('a/film', { cheap: 0 }), architecture: { output_modalities: ['video'] } },
    { ...modelOf('a/no-tools', { dear: 0 }), endpoints: endpointsAt({ dear: 0 }, { supported_parameters: ['seed'] }) },
  ];
  const { ask, store } = createRoutedGateway(THREE, models);
  const served = async (body: Record<string, unknown>): Promise<unknown> => jsonOf(await ask(body))['model'];
  expect(await served({ model: 'openrouter/free', tools: [{ type: 'function', function: { name: 'f' } }] })).toBe(
    'a/free',
  );
  expect(await served({ model: 'openrouter/free', provider: { only: ['dear'] } })).toBe('a/no-tools');
  expect(store.appended.at(-1)?.record.generation.router).toBe('openrouter/free');
  expect(await served({ model: 'service/auto', plugins: [{ id: 'auto-router', cost_tier: 'max' }] })).toBe('a/paid');
  const none = await ask({ model: 'service/auto', plugins: [{ id: 'auto-router', allowed_models: ['b/*'] }] });
  expect(none.status).toBe(404);
});

test('takes a strategy of the embedder for its own', async () => {
  let query: RouterQuery | undefined;
  const { ask } = createRoutedGateway(THREE, [CHAT, modelOf('a/mine', { dear: 9 })], {
    routers: { auto: (given) => (query = given).candidates.filter(({ id }) => id === 'a/mine') },
  });
  const plugins = [{ id: 'auto-router', cost_tier: 'low' }];
  const response = await ask({ model: 'openrouter/auto', plugins, messages: [{ role: 'user', content: 'A fox?' }] });
  expect(query).toMatchObject({ request: { model: 'openrouter/auto' }, text: 'A fox?', options: { cost_tier: 'low' } });
  expect(jsonOf(response)).toMatchObject({ model: 'a/mine' });
  expect(responderOf(response)).toBe('dear');
});

const REGIONS = [{ name: 'eu', hosts: ['eu.gateway.example'] }];
const EU = { host: 'eu.gateway.example' };

test('keeps a request under a regional host in its region, on every attempt, and stores no content', async () => {
  const { askedFor, store, ask, behave, get, gateway } = createRoutedGateway(
    { cheap: { region: 'us' }, middle: { region: 'eu' }, dear: { region: 'eu' } },
    [CHAT, modelOf('r/us', { cheap: 1 })],
    { regions: REGIONS },
  );
  expect(await askedFor({ provider: { sort: 'price' } }, EU)).toEqual(['middle']);
  expect(store.appended.at(-1)?.content).toBeNull();
  expect(store.appended.at(-1)?.record.generation.data_region).toBe('europe');
  behave('middle', 'provider_unavailable');
  behave('dear', 'provider_unavailable');
  expect(await askedFor({ provider: { sort: 'price' } }, EU)).toEqual(['middle', 'dear']);
  expect(await askedFor({ model: 'r/us' }, EU)).toEqual([]);
  expect((await ask({ model: 'r/us' }, EU)).status).toBe(404);
  expect(await askedFor({ model: 'r/us' })).toEqual(['cheap']);
  expect(store.appended.at(-1)?.content).not.toBeNull();

  const idsAt = async (path: string, baseUrl: string): Promise<unknown> => {
    const response = await gateway.handle({
      method: 'GET',
      path,
      query: '',
      baseUrl,
      headers: { authorization: 'Bearer sk-test-api' },
      signal: new AbortController().signal,
      ...bodyOf(),
    });
    return (jsonOf(response)['data'] as { id: string }[]).map(({ id }) => id);
  };
  for (const path of ['/api/v1/models', '/api/v1/models/user']) {
    expect(await idsAt(path, 'https://eu.gateway.example/ai')).toEqual(['r/chat']);
    expect(await idsAt(path, 'https://gateway.example')).toEqual(['r/chat', 'r/us']);
  }
  expect((await get('/api/v1/models/user')).status).toBe(200);
});

test('shows a provider whether the request named its model, or only its family', async () => {
  const { ask, sent } = createRoutedGateway(THREE, [modelOf('r/series-1', PRICES)]);
  await ask({ model: '~r/series-latest' });
  await ask({ model: 'r/series-1' });
  expect(sent.map(({ isOfFamily }) => isOfFamily)).toEqual([true, false]);
});

const asking = (request: Partial<ChatCompletionRequest>): CallPreferences =>
  chatKind.preferencesOf({ messages: [{ role: 'user', content: 'q' }], ...request });

test.each([
  [[], null],
  [['nitro'], 'throughput'],
  [['floor'], 'price'],
  [['exacto'], 'exacto'],
  [['nitro', 'floor'], 'price'],
  [['floor', 'online'], 'price'],
  [['online', 'nitro'], 'throughput'],
  [['online'], null],
])('the variants %j sort by %s, unless the request says by what', (variants, sort) => {
  expect(sortOf(asking({}), variants)).toBe(sort);
  expect(sortOf(asking({ provider: { sort: 'latency' } }), variants)).toBe('latency');
  expect(sortOf(asking({ provider: { sort: { by: 'latency' } } }), variants)).toBe('latency');
});

test.each<[Partial<ChatCompletionRequest>, string[]]>([
  [{}, ['priority', 'flex']],
  [{ service_tier: 'auto' }, ['priority', 'flex']],
  [{ service_tier: 'default' }, []],
  [{ service_tier: 'flex' }, ['flex']],
  [{ service_tier: 'fast' }, ['priority']],
  [{ provider: { order: ['acme'] } }, []],
  [{ provider: { order: ['acme'] }, service_tier: 'flex' }, ['flex']],
])('beside %j, :nitro and :floor admit the tiers %j', (request, tiers) => {
  expect([...tiersOf(asking(request), ['nitro', 'floor'])]).toEqual(tiers);
});
