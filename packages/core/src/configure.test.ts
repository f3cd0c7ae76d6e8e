import type { CreateRateCounter, ModelDefinition, Provider } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { createDeferred } from '../../../test/support/async/deferred.ts';
import { settle } from '../../../test/support/async/virtual-platform.ts';
import {
  chunksOf,
  createCoreGateway,
  createScriptedProvider,
  jsonOf,
  readFrames,
} from '../../../test/support/gateways/core-gateway.ts';
import { GatewayError } from './foundation/errors.ts';

const modelAt = (provider: string, id = 'acme/chat'): ModelDefinition => ({
  id,
  endpoints: [{ provider, providerModel: 'm' }],
});
const says = (content: string, finish_reason: 'stop' | null = 'stop') => [
  { choices: [{ index: 0, delta: { content }, finish_reason, native_finish_reason: finish_reason }] },
];
const saying = (slug: string, text: string): Provider => createScriptedProvider(slug, [says(text)]);

test('serves the new models by the new providers at once, and the old ones no more', async () => {
  const { gateway, chat, get } = createCoreGateway([saying('acme', 'old')], { models: [modelAt('acme')] });
  expect(JSON.stringify((await chat()).body)).toContain('old');
  gateway.configure({ providers: [saying('beta', 'new')], models: [modelAt('beta', 'beta/chat')] });
  expect((await chat()).status).toBe(400);
  expect(JSON.stringify((await chat({ model: 'beta/chat' })).body)).toContain('new');
  expect(jsonOf(await get('/api/v1/models'))).toMatchObject({ data: [{ id: 'beta/chat' }] });
});

test('a stream that has begun goes on with the provider that it began with', async () => {
  const gate = createDeferred<void>();
  const slow: Provider = {
    ...saying('acme', ''),
    async *chat() {
      yield says('first ', null);
      await gate.promise;
      yield says('last');
    },
  };
  const { gateway, chat } = createCoreGateway([slow], { models: [modelAt('acme')] });
  const response = await chat({ stream: true });
  gateway.configure({ providers: [], models: [] });
  gate.resolve();
  const text = chunksOf(await readFrames(response).rest())
    .map(({ choices }) => choices[0]?.delta.content ?? '')
    .join('');
  expect(text).toBe('first last');
  expect((await chat()).status).toBe(400);
});

test('the circuit of an endpoint that stays is open after the change as it was before', async () => {
  let calls = 0;
  const broken = (): Provider => ({
    ...saying('acme', ''),
    // oxlint-disable-next-line require-yield -- It fails before it says anything.
    async *chat() {
      calls += 1;
      throw new GatewayError('provider_unavailable', 'down');
    },
  });
  const { gateway, chat, get } = createCoreGateway([broken()], { models: [modelAt('acme')] });
  for (let i = 0; i < 5; i += 1) await chat();
  const circuitOf = async (): Promise<unknown> => {
    const { data } = jsonOf(await get('/admin/v1/providers', 'sk-test-management')) as { data: object[] };
    return data[0];
  };
  const before = await circuitOf();
  gateway.configure({ providers: [broken()], models: [modelAt('acme')] });
  expect(await circuitOf()).toEqual(before);
  expect(JSON.stringify(before)).toContain('open');
  expect(calls).toBe(5);
});

test('throws, and changes nothing, when a model names a provider that is not there', async () => {
  const { gateway, chat } = createCoreGateway([saying('acme', 'old')], { models: [modelAt('acme')] });
  expect(() => gateway.configure({ providers: [], models: [modelAt('gone')] })).toThrow(RangeError);
  expect((await chat()).status).toBe(200);
});

test('the account of the new setup counts, and where it says nothing, what was set through the API', async () => {
  const { gateway, chat, post } = createCoreGateway([saying('acme', 'x')], { models: [modelAt('acme')] });
  const setup = { providers: [saying('acme', 'x')], models: [modelAt('acme')] };
  await post(
    '/admin/v1/settings',
    { providers: { ignore: ['acme'] } },
    { method: 'PATCH', headers: { authorization: 'Bearer sk-test-management' } },
  );
  expect((await chat()).status).toBe(404);
  gateway.configure({ ...setup, account: { providers: { ignore: [] } } });
  expect((await chat()).status).toBe(200);
  gateway.configure(setup);
  expect((await chat()).status).toBe(404);
});

test('unchanged rate limits continue to count, and changed ones start from zero', async () => {
  const createCounter: CreateRateCounter = ({ limitPerMinute }) => {
    let taken = 0;
    const look = () => Promise.resolve({ isExceeded: taken > limitPerMinute, resetInMs: 60_000 });
    const take = () => {
      taken += 1;
      return look();
    };
    return { look, take, add: () => Promise.resolve() };
  };
  const limits = (requestsPerMinute: number) => ({
    rules: [{ key: '*', model: '*', requestsPerMinute, tokensPerMinute: null }],
    createCounter,
  });
  const setup = { providers: [saying('acme', 'x')], models: [modelAt('acme')] };
  const { gateway, chat } = createCoreGateway(setup.providers, { ...setup, rateLimits: limits(2) });
  await chat();
  gateway.configure({ ...setup, rateLimits: limits(2) });
  expect([(await chat()).status, (await chat()).status]).toEqual([200, 429]);
  gateway.configure({ ...setup, rateLimits: limits(1) });
  expect([(await chat()).status, (await chat()).status]).toEqual([200, 429]);
});

test('discovered models stay with their provider, and a new provider is read at once', async () => {
  const listing = (slug: string, ...ids: string[]): Provider => ({
    ...saying(slug, slug),
    discoverModels: true,
    listModels: () => Promise.resolve(ids.map((id) => ({ id }))),
  });
  const { gateway, chat } = createCoreGateway([listing('acme', 'found')], { models: [] });
  await gateway.start();
  expect((await chat({ model: 'acme/found' })).status).toBe(200);
  const silent: Provider = { ...listing('acme'), listModels: () => new Promise(() => undefined) };
  gateway.configure({ providers: [silent, listing('beta', 'other')], models: [] });
  expect((await chat({ model: 'acme/found' })).status).toBe(200);
  await settle();
  expect((await chat({ model: 'beta/other' })).status).toBe(200);
  await gateway.close();
});
