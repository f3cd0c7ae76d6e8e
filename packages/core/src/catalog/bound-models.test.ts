import { createGoogleProvider } from '@model-gateway/core/providers/google';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createSetupGateway } from '../../../../test/support/gateways/setup-gateway.ts';
import {
  createReplayTransport,
  type ScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const replay = (body: object): ScriptedTransport =>
  createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(body)] });

const UNFIT = ['../x', 'a/../b', 'a..b', 'a/%2e%2E/b', 'a%2fb', 'a?b', 'a#b', 'a\\b', 'a\nb', 'a//b', './a', ''];

test('a list of models is served up to its limits, and the state of the provider says what is left out', async () => {
  const names = Array.from({ length: 20_005 }, (_, index) => `m-${index}`);
  const data = ['x'.repeat(257), 'y'.repeat(256), ...names].map((id) => ({ id }));
  const settings = { slug: 'acme', name: 'Acme', baseUrl: 'https://acme.example/v1', discoverModels: true };
  const provider = createOpenAiProvider({ ...settings, transport: replay({ data }) });
  const core = createCoreGateway([provider], { models: [] });
  await core.gateway.start();
  const state = async () => (jsonOf(await core.get('/admin/v1/providers', MANAGEMENT_KEY))['data'] as object[])[0];
  expect(await state()).toMatchObject({
    models: 20_000,
    models_left_out: { surplus: 6, long_names: 1, unfit_names: 0 },
  });
  expect(core.logged.filter(({ line }) => line.includes('left out'))).toHaveLength(1);
  // The list is asked for again every minute, and says nothing new.
  await core.platform.advance(180_000);
  expect(core.logged.filter(({ line }) => line.includes('left out'))).toHaveLength(1);
});

test('a name that would change the address of calls is not served from a list of the wire google', async () => {
  const models = [...UNFIT, 'gemini-x', 'tunedModels/y'].map((name) => ({
    name,
    supportedGenerationMethods: ['generateContent'],
  }));
  const settings = { slug: 'goo', name: 'Goo', baseUrl: 'https://goo.example/v1beta', discoverModels: true };
  const core = createCoreGateway([createGoogleProvider({ ...settings, transport: replay({ models }) })], {
    models: [],
  });
  await core.gateway.start();
  const { data } = jsonOf(await core.get('/api/v1/models')) as { data: { id: string }[] };
  expect(data.map(({ id }) => id)).toEqual(['goo/gemini-x', 'goo/tunedModels/y']);
  const states = jsonOf(await core.get('/admin/v1/providers', MANAGEMENT_KEY))['data'];
  expect(states).toMatchObject([{ models_left_out: { unfit_names: expect.any(Number) } }]);
});

test.each(UNFIT)('a call with the name %j in its address is not sent', async (providerModel) => {
  const google = replay({});
  const azure = replay({});
  const core = createCoreGateway(
    [
      createGoogleProvider({ slug: 'goo', baseUrl: 'https://goo.example/v1beta', transport: google }),
      createOpenAiProvider({ slug: 'az', baseUrl: 'https://az.example/deployments/{model}', transport: azure }),
    ],
    {
      models: ['goo', 'az'].map((provider) => ({
        id: `test/${provider}`,
        endpoints: [{ provider, providerModel }],
      })),
    },
  );
  for (const model of ['test/goo', 'test/az']) {
    for (const stream of [false, true]) expect((await core.chat({ model, stream })).status).toBe(400);
  }
  expect([...google.exchanges, ...azure.exchanges]).toEqual([]);
});

test('set-up refuses such a name for the wires that have it in the address, and takes it elsewhere', async () => {
  const gateway = await createSetupGateway();
  for (const [slug, wire, baseUrl] of [
    ['goo', 'google', 'https://goo.example/v1beta'],
    ['az', 'openai', 'https://az.example/deployments/{model}'],
    ['llama', 'openai', 'https://llama.example/v1'],
  ]) {
    await gateway.dataOf('POST', '/admin/v1/setup/providers', { slug, wire, baseUrl, apiKey: null });
  }
  const add = (provider: string) =>
    gateway.call('POST', '/admin/v1/setup/models', {
      id: `test/${provider}`,
      endpoints: [{ provider, providerModel: '../models/x.gguf' }],
    });
  for (const provider of ['goo', 'az']) {
    const { status, body } = await add(provider);
    expect({ status, text: JSON.stringify(body) }).toEqual({
      status: 400,
      text: expect.stringContaining('endpoints.0.providerModel: is part of the address'),
    });
  }
  expect((await add('llama')).status).toBe(201);
});
