import { expect, test } from 'vitest';

import {
  chunksOf,
  createCoreGateway,
  createScriptedProvider,
  jsonOf,
  MODELS,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { createRoutedGateway, endpointsAt } from '../../../../test/support/gateways/routed-gateway.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';

const CHAT: ModelDefinition = { id: 'r/chat', endpoints: endpointsAt({ one: 1, two: 2 }) };
const NEUTRAL = { 'x-service-experimental-metadata': 'enabled' };
const BY_PRICE = { provider: { sort: 'price' } };

test('reports the routing of a request', async () => {
  const { ask, behave, platform } = createRoutedGateway(
    { one: { behaviour: 'provider_unavailable' }, two: { byok: false } },
    [CHAT],
  );
  behave('two', () => platform.oversleep(250));
  const { service_metadata } = jsonOf(await ask({ model: 'r/chat:floor' }, NEUTRAL));
  expect(service_metadata).toEqual({
    requested: 'r/chat:floor',
    strategy: 'direct',
    region: null,
    summary: 'available=2, selected=TWO',
    attempt: 2,
    is_byok: false,
    endpoints: {
      total: 2,
      available: [
        { provider: 'ONE', model: 'r/chat', selected: false },
        { provider: 'TWO', model: 'r/chat', selected: true },
      ],
    },
    attempts: [
      { provider: 'ONE', model: 'r/chat', status: 599 },
      { provider: 'TWO', model: 'r/chat', status: 200 },
    ],
    generation_time: 250,
  });
});

test.each<[Record<string, string>, string[]]>([
  [{}, []],
  [{ 'x-service-experimental-metadata': ' Enabled ' }, ['service_metadata']],
  [{ 'x-openrouter-metadata': 'ENABLED' }, ['openrouter_metadata']],
  [{ 'x-openrouter-experimental-metadata': 'enabled' }, ['openrouter_metadata']],
  [{ 'x-openrouter-metadata': 'disabled', 'x-openrouter-experimental-metadata': 'enabled' }, []],
  [{ 'x-openrouter-metadata': 'true' }, []],
  [{ ...NEUTRAL, 'x-openrouter-metadata': 'enabled' }, ['service_metadata', 'openrouter_metadata']],
])('responds to %j with %j, streamed, whole and beside an error', async (headers, names) => {
  const { ask } = createRoutedGateway({ one: {}, two: {} }, [CHAT]);
  const shown = (body: object): string[] => Object.keys(body).filter((name) => name.endsWith('_metadata'));
  expect(shown(jsonOf(await ask({}, headers)))).toEqual(names);
  expect(shown(jsonOf(await ask({ provider: { only: ['nobody'] } }, headers)))).toEqual(names);
  const chunks = chunksOf(await readFrames(await ask({ stream: true }, headers)).rest());
  expect(chunks.map(shown)).toEqual([...chunks.slice(1).map(() => []), names]);
});

test('selects nothing on failure, and counts no attempt where no endpoint was called', async () => {
  const { ask } = createRoutedGateway({ one: { behaviour: 'provider_unavailable' }, two: {} }, [CHAT]);
  const failed = jsonOf(await ask({ provider: { only: ['one'] } }, NEUTRAL));
  expect(failed).toMatchObject({ error: { code: 502 } });
  expect(failed['service_metadata']).toMatchObject({
    attempt: 1,
    summary: 'available=1, selected=none',
    endpoints: { total: 2, available: [{ provider: 'ONE', selected: false }] },
    attempts: [{ provider: 'ONE', status: 599 }],
  });
  const { service_metadata: refused } = jsonOf(await ask({ provider: { only: ['nobody'] } }, NEUTRAL));
  expect(refused).toMatchObject({ attempt: 0, endpoints: { total: 2, available: [] } });
  expect(refused).not.toHaveProperty('attempts');
});

test('stays away from what fails before routing, and from failures of our own', async () => {
  const { ask, store } = createRoutedGateway({ one: {}, two: {} }, [CHAT]);
  for (const body of [{ model: 'r/none' }, { messages: [] }]) {
    expect(Object.keys(jsonOf(await ask(body, NEUTRAL)))).toEqual(['error']);
  }
  expect(Object.keys(jsonOf(await ask({}, { ...NEUTRAL, authorization: 'Bearer none' })))).toEqual(['error']);
  store.failAppends(new Error('disk full'));
  const internal = await ask({}, NEUTRAL);
  expect(internal.status).toBe(500);
  expect(Object.keys(jsonOf(internal))).toEqual(['error']);
  const chunks = chunksOf(await readFrames(await ask({ stream: true }, NEUTRAL)).rest());
  expect(chunks.at(-1)).toHaveProperty('error');
  expect(chunks.at(-1)).not.toHaveProperty('service_metadata');
});

test('is in the chunk with the error when a stream breaks off, with no endpoint selected', async () => {
  const broken = createScriptedProvider(
    'acme',
    [[{ choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: null, native_finish_reason: null }] }]],
    () => {
      throw new GatewayError('provider_unavailable', 'broken');
    },
  );
  const { chat } = createCoreGateway([broken, createScriptedProvider('beta', [])], { models: MODELS });
  const headers = { authorization: 'Bearer sk-test-api', ...NEUTRAL };
  const chunks = chunksOf(await readFrames(await chat({ stream: true }, { headers })).rest());
  expect(chunks.filter((chunk) => 'service_metadata' in chunk)).toEqual([chunks.at(-1)]);
  expect(chunks.at(-1)).toMatchObject({
    error: { code: 502 },
    service_metadata: {
      attempt: 1,
      summary: 'available=2, selected=none',
      endpoints: { available: [{ selected: false }, {}] },
    },
  });
});

test('rides on the finish where a stream has no usage', async () => {
  const silent = createScriptedProvider('acme', [
    [{ choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop', native_finish_reason: 'stop' }] }],
  ]);
  const { chat } = createCoreGateway([silent, createScriptedProvider('beta', [])]);
  const headers = { authorization: 'Bearer sk-test-api', ...NEUTRAL };
  const chunks = chunksOf(await readFrames(await chat({ stream: true, ...BY_PRICE }, { headers })).rest());
  expect(chunks.filter((chunk) => 'service_metadata' in chunk)).toEqual([chunks.at(-1)]);
});
