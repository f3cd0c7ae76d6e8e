import { expect, test } from 'vitest';

import { API_KEY, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/core-gateway.ts';
import { createRoutedGateway, endpointsAt, type RoutedGateway } from '../../../../test/support/routed-gateway.ts';
import type { ModelDefinition } from '../catalog/model-definition.ts';
import { type RoutingExplanation, routingExplanationSchema } from '../schemas/routing-explanation.ts';

const [open, dear, trainer, keeper, coarse, weak] = endpointsAt({
  open: 1,
  dear: 9,
  trainer: 1,
  keeper: 1,
  coarse: 1,
  weak: 1,
});
const MANY = {
  id: 'r/many',
  endpoints: [
    { ...open, quantization: 'fp16', supported_parameters: ['seed'] },
    { ...dear, quantization: 'fp16', supported_parameters: ['seed'] },
    { ...trainer, quantization: 'fp16', supported_parameters: ['seed'] },
    { ...keeper, quantization: 'fp16', supported_parameters: ['seed'] },
    { ...coarse, quantization: 'int4', supported_parameters: ['seed'] },
    { ...weak, quantization: 'fp16', supported_parameters: [] },
    ...endpointsAt({ unwanted: 1 }),
  ],
} as ModelDefinition;
const PRIVATE = { dataPolicy: { training: false, retainsPrompts: false } };
const PROVIDERS = {
  open: PRIVATE,
  dear: PRIVATE,
  trainer: { dataPolicy: { training: true, retainsPrompts: false } },
  keeper: { dataPolicy: { training: false, retainsPrompts: true } },
  coarse: PRIVATE,
  weak: PRIVATE,
  unwanted: PRIVATE,
};

const authorization = { authorization: `Bearer ${MANAGEMENT_KEY}` };

async function explain({ post }: RoutedGateway, body: object, query = ''): Promise<RoutingExplanation> {
  const chat = { model: 'r/many', messages: [{ role: 'user', content: 'q' }], ...body };
  const response = await post('/admin/v1/explain', chat, { headers: authorization, query });
  expect(response.status).toBe(200);
  return routingExplanationSchema.parse(jsonOf(response)['data']);
}

test('names the rule for endpoints that six different ones exclude, and calls nobody', async () => {
  const gateway = createRoutedGateway(PROVIDERS, [MANY]);
  const { endpoints, strategy, requested, models } = await explain(gateway, {
    seed: 1,
    provider: {
      ignore: ['unwanted'],
      max_price: { prompt: 5 },
      data_collection: 'deny',
      zdr: true,
      quantizations: ['fp16'],
      require_parameters: true,
    },
  });
  expect({ strategy, requested, models }).toEqual({ strategy: 'direct', requested: 'r/many', models: ['r/many'] });
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
      health: { standing: 'steady', status: 0, uptime_last_5m: 100 },
    },
    {
      provider: 'one',
      rank: 2,
      price: { compared: 0.000001 },
      health: { standing: 'unstable', status: -1, uptime_last_5m: 0 },
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

test('explains that nothing is left as an answer, and a model that is not there as a mistake', async () => {
  const gateway = createRoutedGateway(PROVIDERS, [MANY]);
  const { endpoints } = await explain(gateway, { provider: { only: ['nobody'] } });
  expect(new Set(endpoints.map(({ rule }) => rule))).toEqual(new Set(['only']));
  const body = { model: 'r/none', messages: [{ role: 'user', content: 'q' }] };
  expect((await gateway.post('/admin/v1/explain', body, { headers: authorization })).status).toBe(400);
  expect((await gateway.post('/admin/v1/explain', body)).status).toBe(403);
});

test('stays in the region of the host it is asked under', async () => {
  const gateway = createRoutedGateway({ ...PROVIDERS, open: { region: 'eu' } }, [MANY], {
    regions: [{ name: 'eu', hosts: ['eu.example'] }],
  });
  const chat = { model: 'r/many', messages: [{ role: 'user', content: 'q' }] };
  const response = await gateway.post('/admin/v1/explain', chat, { headers: { ...authorization, host: 'eu.example' } });
  const { region, endpoints } = routingExplanationSchema.parse(jsonOf(response)['data']);
  expect(region).toBe('eu');
  expect(endpoints.flatMap(({ provider, included }) => (included ? [provider] : []))).toEqual(['open']);
  expect(new Set(endpoints.map(({ rule }) => rule))).toEqual(new Set([null, 'region']));
});
