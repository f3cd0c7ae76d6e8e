import fc from 'fast-check';
import { expect, test } from 'vitest';

import { API_KEY, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import {
  createRoutedGateway,
  endpointsAt,
  type RoutedGateway,
} from '../../../../test/support/gateways/routed-gateway.ts';
import {
  MODEL_OF_SEVEN,
  PROVIDERS_OF_SEVEN,
  REQUEST_OF_ONE,
} from '../../../../test/support/gateways/six-exclusions.ts';
import { type RoutingExplanation, routingExplanationSchema } from '../wire/routing-explanation.ts';

const authorization = { authorization: `Bearer ${MANAGEMENT_KEY}` };

async function explain({ post }: RoutedGateway, body: object, query = ''): Promise<RoutingExplanation> {
  const chat = { model: 'r/many', messages: [{ role: 'user', content: 'q' }], ...body };
  const response = await post('/admin/v1/explain', chat, { headers: authorization, query });
  expect(response.status).toBe(200);
  return routingExplanationSchema.parse(jsonOf(response)['data']);
}

test('names the rules that exclude six endpoints, without calling a provider', async () => {
  const gateway = createRoutedGateway(PROVIDERS_OF_SEVEN, [MODEL_OF_SEVEN]);
  const { endpoints, strategy, requested, models } = await explain(gateway, REQUEST_OF_ONE);
  expect({ strategy, requested, models }).toEqual({
    strategy: 'direct',
    requested: 'acme/chat',
    models: ['acme/chat'],
  });
  expect(endpoints.map(({ provider, included, rank, rule }) => [provider, included, rank, rule])).toEqual([
    ['open', true, 1, null],
    ['dear', false, null, 'max_price'],
    ['trainer', false, null, 'data_collection'],
    ['keeper', false, null, 'zdr'],
    ['coarse', false, null, 'quantizations'],
    ['weak', false, null, 'require_parameters'],
    ['unwanted', false, null, 'ignore'],
  ]);
  expect(gateway.calls).toEqual([]);
  expect(gateway.store.appended).toEqual([]);
});

test('shows price and health of each endpoint, and ranks by both', async () => {
  const gateway = createRoutedGateway({ one: {}, two: {} }, [
    { id: 'r/many', endpoints: [...endpointsAt({ one: 1, two: 2 })] },
  ]);
  gateway.behave('one', 'provider_unavailable');
  await gateway.ask({ provider: { order: ['one', 'two'] } });
  const { endpoints } = await explain(gateway, {});
  expect(endpoints).toMatchObject([
    {
      provider: 'two',
      rank: 1,
      price: { prompt: '0.000002000', compared: 0.000002 },
      health: { state: 'steady', standing: 'steady', status: 0, uptime_last_5m: 100 },
    },
    {
      provider: 'one',
      rank: 2,
      price: { compared: 0.000001 },
      health: { state: 'failing', standing: 'failing', status: -4, uptime_last_5m: 0 },
    },
  ]);
});

test('explains for a key whose sessions stay where they are', async () => {
  const gateway = createRoutedGateway({ one: {}, two: {} }, [
    { id: 'r/many', endpoints: [...endpointsAt({ one: 1, two: 1 })] },
  ]);
  const { data } = { data: gateway.platform.sha256(API_KEY) as string };
  for (const session_id of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const [asked] = await gateway.askedFor({ session_id });
    const { endpoints } = await explain(gateway, { session_id }, `key=${data}`);
    expect(endpoints[0]?.provider).toBe(asked);
  }
});

test('explains a request without any endpoint left, and refuses an unknown model', async () => {
  const gateway = createRoutedGateway(PROVIDERS_OF_SEVEN, [MODEL_OF_SEVEN]);
  const { endpoints } = await explain(gateway, { model: 'acme/chat', provider: { only: ['nobody'] } });
  expect(new Set(endpoints.map(({ rule }) => rule))).toEqual(new Set(['only']));
  const body = { model: 'r/none', messages: [{ role: 'user', content: 'q' }] };
  expect((await gateway.post('/admin/v1/explain', body, { headers: authorization })).status).toBe(400);
  expect((await gateway.post('/admin/v1/explain', body)).status).toBe(403);
});

test('stays in the region of the request’s host', async () => {
  const gateway = createRoutedGateway({ ...PROVIDERS_OF_SEVEN, open: { region: 'eu' } }, [MODEL_OF_SEVEN], {
    regions: [{ name: 'eu', hosts: ['eu.example'] }],
  });
  const chat = { model: 'acme/chat', messages: [{ role: 'user', content: 'q' }] };
  const response = await gateway.post('/admin/v1/explain', chat, { headers: { ...authorization, host: 'eu.example' } });
  const { region, endpoints } = routingExplanationSchema.parse(jsonOf(response)['data']);
  expect(region).toBe('eu');
  expect(endpoints.flatMap(({ provider, included }) => (included ? [provider] : []))).toEqual(['open']);
  expect(new Set(endpoints.map(({ rule }) => rule))).toEqual(new Set([null, 'region']));
});

test('leaves out what a key with a limit cannot be sent to, as a call with that key does', async () => {
  const gateway = createRoutedGateway({ one: {} }, [{ id: 'r/many', endpoints: endpointsAt({ one: 1 }) }]);
  const created = jsonOf(await gateway.post('/api/v1/keys', { name: 'k', limit: 1 }, { headers: authorization }));
  const { hash } = created['data'] as { hash: string };
  const ruleFor = async (body: object, query = ''): Promise<unknown> =>
    (await explain(gateway, body, query)).endpoints[0]?.rule;
  expect(await ruleFor({}, `key=${hash}`)).toBe('cost_unknown');
  expect(await ruleFor({ max_tokens: 10 }, `key=${hash}`)).toBeNull();
  expect(await ruleFor({})).toBeNull();
  const refused = await gateway.ask({}, { authorization: `Bearer ${created['key'] as string}` });
  expect(jsonOf(refused)).toMatchObject({ error: { metadata: { excluded: [{ rule: 'cost_unknown' }] } } });
});

test('explains the endpoints of the subsequent call in their order, whatever the preferences', async () => {
  const slugs = ['a', 'b', 'c', 'd'];
  const some = fc.subarray(slugs);
  const option = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
    fc.option(value, { nil: undefined });
  const preferences = fc.record({
    only: option(some),
    ignore: option(some),
    order: option(some),
    allow_fallbacks: option(fc.boolean()),
    quantizations: option(fc.subarray(['fp16', 'int4'])),
    max_price: option(fc.record({ prompt: fc.constantFrom(1, 2, 3) })),
    zdr: option(fc.boolean()),
  });
  await fc.assert(
    fc.asyncProperty(preferences, async (provider) => {
      const gateway = createRoutedGateway(
        {
          a: { dataPolicy: { training: false, retainsPrompts: false } },
          b: {},
          c: { dataPolicy: { training: false, retainsPrompts: false } },
          d: {},
        },
        [
          {
            id: 'r/many',
            endpoints: [
              ...endpointsAt({ a: 3, b: 1 }, { quantization: 'fp16' }),
              ...endpointsAt({ c: 2, d: 4 }, { quantization: 'int4' }),
            ],
          },
        ],
      );
      const body = { provider: { sort: 'price', ...provider } };
      const { endpoints } = await explain(gateway, body);
      const ranked = endpoints.filter(({ included }) => included).map(({ provider: tag }) => tag);
      expect(endpoints.map(({ provider: tag }) => tag).toSorted()).toEqual(slugs);
      for (const slug of slugs) gateway.behave(slug, 'provider_unavailable');
      // One call and two retries.
      expect(await gateway.askedFor(body)).toEqual(ranked.slice(0, 3));
      await gateway.gateway.close();
    }),
    { numRuns: 60, seed: 4 },
  );
});

test('shows what would happen after a failure: what the request says, else what the settings say', async () => {
  const models = [{ id: 'r/many', endpoints: [...endpointsAt({ one: 1, two: 2 })] }];
  const nothing = {
    wait_for_retry_after_ms: 0,
    retries_at_endpoint: 0,
    fallback_on_refusal: true,
    continue_broken_streams: false,
    continue_with_other_models: false,
    hold_stream: false,
  };
  const plain = createRoutedGateway({ one: {}, two: {} }, models);
  expect((await explain(plain, {})).failover).toEqual(nothing);
  const provider = { hold_stream: true, fallback_on_refusal: false, continue_with_other_models: true };
  expect((await explain(plain, { provider })).failover).toEqual({ ...nothing, ...provider });
  const routing = { waitForRetryAfterMs: 3000, retriesAtEndpoint: 1, limitsBeforeFallback: { headersMs: 500 } };
  const patient = createRoutedGateway({ one: {}, two: {} }, models, {
    account: { routing: { ...routing, holdStreams: true } },
  });
  expect((await explain(patient, { provider: { hold_stream: false } })).failover).toEqual({
    ...nothing,
    wait_for_retry_after_ms: 3000,
    retries_at_endpoint: 1,
    limits_before_fallback: { headers_ms: 500 },
  });
});

const ofKind = (kind: string) => ({
  id: `r/${kind}`,
  architecture: { input_modalities: ['text', 'image'], output_modalities: [kind] },
  endpoints: [
    { provider: 'open', providerModel: 'one', pricing: { prompt: '0.000002', completion: '0' } },
    { provider: 'keeper', providerModel: 'one', pricing: { prompt: '0.000001', completion: '0' } },
  ],
});

test.each([
  ['embeddings', { input: 'q' }],
  ['rerank', { query: 'q', documents: ['d'] }],
  ['image', { prompt: 'q' }],
  ['speech', { input: 'q', voice: 'v' }],
  ['transcription', {}],
  ['moderation', { input: 'q' }],
])('explains a call of the kind %s, and refuses a body of another', async (kind, body) => {
  const gateway = createRoutedGateway(PROVIDERS_OF_SEVEN, [ofKind(kind)]);
  const ask = (request: object, query: string) =>
    gateway.post('/admin/v1/explain', { model: `r/${kind}`, ...request }, { headers: authorization, query });
  const { endpoints, requested } = await ask(body, `kind=${kind}`).then((response) =>
    routingExplanationSchema.parse(jsonOf(response)['data']),
  );
  expect([requested, endpoints.map(({ provider }) => provider).toSorted()]).toEqual([`r/${kind}`, ['keeper', 'open']]);
  expect((await ask({ model: 1 }, `kind=${kind}`)).status).toBe(400);
  expect((await ask({}, 'kind=dance')).status).toBe(400);
  // A chat request means a chat, whatever the model is for.
  expect((await ask(body, '')).status).toBe(400);
});
