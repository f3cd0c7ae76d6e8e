import { expect, test } from 'vitest';

import { jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { createSetupGateway } from '../../../../test/support/gateways/setup-gateway.ts';
import { createScriptedTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { createOpenAiProvider } from '../providers/openai/openai-provider.ts';
import type { DiscoveredModel, Provider } from '../providers/provider.ts';
import type { EndpointDefinition, ModelDefinition } from '../wire/model-definition.ts';
import { createCatalog } from './catalog.ts';

const providerOf = (slug: string, discoverModels = false): Provider =>
  createOpenAiProvider({
    slug,
    name: slug,
    baseUrl: `https://${slug}.example/v1`,
    discoverModels,
    transport: createScriptedTransport(),
  });

/** Without names of models, as a config file has it. */
const everythingAt = (provider: string): EndpointDefinition => ({ provider }) as EndpointDefinition;

const wildcardOf = (author: string, ...providers: string[]): ModelDefinition => ({
  id: `${author}/*`,
  endpoints: providers.map(everythingAt),
});

const idsOf = (definitions: readonly ModelDefinition[], provider: Provider, listed: readonly DiscoveredModel[]) => {
  const catalog = createCatalog([provider], definitions);
  catalog.setDiscovered(provider, listed);
  return catalog.list().map(({ id }) => id);
};

test('a wildcard serves every model that its provider lists, and is none itself', () => {
  const openai = providerOf('openai');
  expect(idsOf([wildcardOf('openai', 'openai')], openai, [{ id: 'gpt-x' }, { id: 'gpt-y' }])).toEqual([
    'openai/gpt-x',
    'openai/gpt-y',
  ]);
  const catalog = createCatalog([openai], [wildcardOf('openai', 'openai')]);
  expect(catalog.find('openai/*')).toBeUndefined();
  expect(catalog.reads(openai)).toBe(true);
  expect(createCatalog([openai], []).reads(openai)).toBe(false);
});

test('names that have the author already keep it', () => {
  expect(idsOf([wildcardOf('acme', 'hub')], providerOf('hub'), [{ id: 'acme/a' }, { id: 'b' }])).toEqual([
    'acme/a',
    'acme/b',
  ]);
});

test('the models of a provider that discovers its own stay under its slug, too', () => {
  expect(idsOf([wildcardOf('acme', 'hub')], providerOf('hub', true), [{ id: 'a' }])).toEqual(['hub/a', 'acme/a']);
});

test('a wildcard with the slug of its provider gives each model one endpoint, with what it says of it', () => {
  const openai = providerOf('openai', true);
  const pricing = { prompt: '0.000001', completion: '0.000002' };
  const wildcard = { id: 'openai/*', endpoints: [{ ...everythingAt('openai'), pricing }] };
  const catalog = createCatalog([openai], [wildcard]);
  catalog.setDiscovered(openai, [{ id: 'gpt-x' }]);
  expect(catalog.find('openai/gpt-x')?.endpoints).toMatchObject([{ providerModel: 'gpt-x', pricing }]);
});

test('a model that a list names twice has one endpoint', () => {
  const hub = providerOf('hub', true);
  const catalog = createCatalog([hub], []);
  catalog.setDiscovered(hub, [{ id: 'a' }, { id: 'a' }]);
  expect(catalog.find('hub/a')?.endpoints).toHaveLength(1);
});

test('a model of several providers of one wildcard is one model with an endpoint at each', () => {
  const [one, two] = [providerOf('one'), providerOf('two')];
  const catalog = createCatalog([one, two], [wildcardOf('llama', 'one', 'two')]);
  catalog.setDiscovered(one, [{ id: 'x' }]);
  catalog.setDiscovered(two, [{ id: 'x' }]);
  expect(catalog.list().map(({ id, endpoints }) => [id, endpoints.map(({ tag }) => tag)])).toEqual([
    ['llama/x', ['one', 'two']],
  ]);
});

test('what the catalog knows of a model comes with it, a model of the same id stays, and the wildcard says more', () => {
  const hub = providerOf('hub');
  const pricing = { prompt: '0.1', completion: '0.2' };
  const known: ModelDefinition = {
    id: 'acme/a',
    aliases: ['fast'],
    architecture: { input_modalities: ['text', 'image'] },
    endpoints: [{ provider: 'hub', providerModel: 'a', pricing }],
  };
  const wildcard = wildcardOf('team', 'hub');
  const catalog = createCatalog([hub], [known, { ...wildcard, endpoints: [{ ...everythingAt('hub'), region: 'eu' }] }]);
  catalog.setDiscovered(hub, [{ id: 'a', contextLength: 7 }]);
  expect(catalog.find('fast')?.id).toBe('acme/a');
  expect(catalog.find('team/a')).toMatchObject({
    definition: { name: 'a', architecture: { input_modalities: ['text', 'image'] } },
    endpoints: [{ pricing, contextLength: 7, region: 'eu', providerModel: 'a' }],
  });
});

test('abilities of a list are those of the model', () => {
  const hub = providerOf('hub', true);
  const catalog = createCatalog([hub], []);
  catalog.setDiscovered(hub, [
    { id: 'sees', readsImages: true, callsTools: true, maxCompletionTokens: 50 },
    { id: 'plain', callsTools: false },
    { id: 'unknown' },
  ]);
  expect(catalog.find('hub/sees')).toMatchObject({
    definition: { architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] } },
    endpoints: [{ maxCompletionTokens: 50 }],
  });
  const parametersOf = (id: string) => catalog.find(id)?.endpoints[0]?.supportedParameters;
  expect(parametersOf('hub/sees')?.has('tools')).toBe(true);
  expect([parametersOf('hub/plain')?.has('tools'), parametersOf('hub/plain')?.has('top_k')]).toEqual([false, true]);
  expect(parametersOf('hub/unknown')).toBeNull();
});

test('refuses a wildcard at a provider that is not there', () => {
  expect(() => createCatalog([], [wildcardOf('acme', 'gone')])).toThrow('model acme/* names the provider "gone"');
});

/** A provider's server that lists one model and completes chats. */
const createUpstream = () =>
  createScriptedTransport((exchange) => {
    const message = {
      role: 'assistant',
      content: exchange.request.method === 'GET' ? '' : String(exchange.sent['model']),
    };
    exchange.respond(200, { 'content-type': 'application/json' });
    exchange.push(
      JSON.stringify({
        data: [{ id: 'listed-1' }],
        id: 'c',
        model: 'm',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    );
    exchange.end();
  });

test('a call to a model of a wildcard of the config file goes to its provider, by the name of the list', async () => {
  const { gateway, chat, call } = await createSetupGateway({
    upstream: createUpstream(),
    config: {
      providers: [{ slug: 'acme', wire: 'openai', baseUrl: 'https://acme.example/v1' }],
      models: [{ id: 'team/*', endpoints: [{ provider: 'acme' }] }],
    },
  });
  await gateway.start();
  expect(jsonOf(await chat({ model: 'team/listed-1' }))).toMatchObject({
    choices: [{ message: { content: 'listed-1' } }],
  });
  const guarded = { name: 'g', allowed_models: ['team/listed-1'] };
  expect((await call('POST', '/guardrails', guarded)).status).toBe(201);
  await gateway.close();
});
