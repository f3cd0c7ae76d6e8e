import { resolve } from 'node:path';

import { PRESETS } from '@model-gateway/core/providers/presets';
import { expect, test } from 'vitest';

import { createConfigFolder, endpoint, local } from '../../../../test/support/config/config-folder.ts';
import { loadConfig } from './load-config.ts';

const { load, refused } = createConfigFolder();

test('a provider is taken as it stands, with a model that names it', () => {
  const config = load(
    {
      providers: [{ ...local, headers: { 'x-team': 'env:TEAM' }, region: 'eu' }],
      models: [{ id: 'acme/chat-1', endpoints: [endpoint] }],
    },
    { env: { TEAM: 'blue' } },
  );
  expect(config.providers).toEqual([
    {
      slug: 'local',
      name: 'local',
      preset: null,
      wire: 'openai',
      baseUrl: 'http://127.0.0.1:11434/v1',
      query: {},
      apiKey: undefined,
      apiKeys: [],
      cloud: null,
      headers: { 'x-team': 'blue' },
      dataPolicy: undefined,
      responses: false,
      region: 'eu',
      byok: false,
      discoverModels: false,
      listsModels: undefined,
    },
  ]);
  expect(config.models).toEqual([{ id: 'acme/chat-1', endpoints: [endpoint] }]);
  expect(config.warnings).toEqual([]);
});

test('a preset brings its address, and its key from the customary variable', () => {
  const { providers, warnings } = load(
    { providers: [{ slug: 'openai', preset: 'openai' }] },
    { env: { OPENAI_API_KEY: 'key-of-the-variable\n' } },
  );
  expect(providers[0]).toMatchObject({
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    apiKey: 'key-of-the-variable',
  });
  expect(warnings).toEqual(['provider "openai" serves no model: name it in models, or set its discoverModels to true']);
  const perplexity = { slug: 'p', preset: 'perplexity', apiKey: 'k' };
  expect(load({ providers: [perplexity] }).warnings).toEqual([
    'provider "p" serves no model: name it in models of a config file',
  ]);
});

test('every wire can be spoken, and the presets of each bring theirs', () => {
  const env = { ANTHROPIC_API_KEY: 'a', GOOGLE_API_KEY: 'g' };
  const { providers } = load(
    {
      providers: [
        { slug: 'anthropic', preset: 'anthropic' },
        { slug: 'google-ai-studio', preset: 'google' },
        { slug: 'mine', wire: 'anthropic', baseUrl: 'https://messages.example/v1' },
        { slug: 'other', wire: 'google', baseUrl: 'https://gemini.example/v1beta' },
      ],
    },
    { env },
  );
  expect(providers.map(({ slug, wire, baseUrl, apiKey }) => [slug, wire, baseUrl, apiKey])).toEqual([
    ['anthropic', 'anthropic', 'https://api.anthropic.com/v1', 'a'],
    ['google-ai-studio', 'google', 'https://generativelanguage.googleapis.com/v1beta', 'g'],
    ['mine', 'anthropic', 'https://messages.example/v1', undefined],
    ['other', 'google', 'https://gemini.example/v1beta', undefined],
  ]);
});

test('Azure stands at the customer’s own address, from the file or the customary variable', () => {
  const env = { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_ENDPOINT: 'https://acme.openai.azure.com/' };
  const azure = { slug: 'azure', preset: 'azure' };
  const load1 = (entry: object, variables: object = env): object =>
    load({ providers: [{ ...azure, ...entry }] }, { env: { ...variables } }).providers[0] ?? {};
  expect(load1({})).toMatchObject({ baseUrl: 'https://acme.openai.azure.com/openai/v1', apiKey: 'k', query: {} });
  expect(load1({}, { ...env, AZURE_OPENAI_ENDPOINT: 'https://acme.example/openai/v1/' })).toMatchObject({
    baseUrl: 'https://acme.example/openai/v1',
  });
  const deployments = {
    baseUrl: 'https://acme.openai.azure.com/openai/deployments/{model}',
    query: { 'api-version': '2024-10-21' },
  };
  expect(load1(deployments, { AZURE_OPENAI_API_KEY: 'k' })).toMatchObject({ ...deployments, apiKey: 'k' });
});

test('without a file, providers come from the variables that are set', () => {
  const env = { GROQ_API_KEY: 'g', OPENAI_API_KEY: '  ', ANTHROPIC_API_KEY: 'a', GOOGLE_API_KEY: 'o' };
  const config = loadConfig({ env, presets: PRESETS });
  expect(config).toMatchObject({ origin: 'environment', file: null, store: { type: 'json', dir: resolve('data') } });
  expect(
    config.providers.map(({ slug, wire, apiKey, discoverModels }) => [slug, wire, apiKey, discoverModels]),
  ).toEqual([
    ['groq', 'openai', 'g', true],
    ['anthropic', 'anthropic', 'a', true],
    ['google-ai-studio', 'google', 'o', true],
  ]);
  expect(config.warnings).toEqual([]);
  expect(loadConfig({ env: {}, presets: PRESETS })).toMatchObject({ origin: 'none', providers: [] });
});

test('of the variables of Azure, both are needed, and its models must be named', () => {
  const fromEnvironment = (env: Record<string, string>): unknown[] => {
    const { providers, warnings } = loadConfig({ env, presets: PRESETS });
    return [providers.map(({ slug, baseUrl, discoverModels }) => [slug, baseUrl, discoverModels]), warnings];
  };
  const key = { AZURE_OPENAI_API_KEY: 'k' };
  expect(fromEnvironment({ ...key, AZURE_OPENAI_ENDPOINT: 'https://acme.openai.azure.com' })).toEqual([
    [['azure', 'https://acme.openai.azure.com/openai/v1', false]],
    ['provider "azure" serves no model: name it in models of a config file'],
  ]);
  for (const address of ['', 'acme', 'https://u:hidden@acme.example']) {
    expect(fromEnvironment({ ...key, AZURE_OPENAI_ENDPOINT: address })).toEqual([
      [],
      [
        'AZURE_OPENAI_API_KEY is set, but AZURE_OPENAI_ENDPOINT is not, or is no address; it should be like https://RESOURCE.openai.azure.com/openai/v1',
      ],
    ]);
  }
});

const builtInModels = [
  {
    id: 'acme/large',
    name: 'Large',
    endpoints: [
      { provider: 'groq', providerModel: 'large-1', pricing: { prompt: '1', completion: '2' } },
      { provider: 'xai', providerModel: 'large-x' },
    ],
  },
  { id: 'acme/small', endpoints: [{ provider: 'groq', providerModel: 'small-1' }] },
  { id: 'acme/other', endpoints: [{ provider: 'xai', providerModel: 'other-1' }] },
];

test('built-in models are served by the providers of their presets, and what the file says is laid over them', () => {
  const mine = { slug: 'mine', preset: 'groq', apiKey: 'k' };
  const config = load(
    { providers: [mine, local], models: [{ id: 'acme/small', name: 'Ours', endpoints: [endpoint] }] },
    { builtInModels },
  );
  expect(config.models).toEqual([
    { id: 'acme/small', name: 'Ours', endpoints: [{ provider: 'mine', providerModel: 'small-1' }, endpoint] },
    {
      id: 'acme/large',
      name: 'Large',
      endpoints: [{ provider: 'mine', providerModel: 'large-1', pricing: { prompt: '1', completion: '2' } }],
    },
  ]);
  expect(config.warnings).toEqual([]);
  expect(load({ providers: [mine] }).models).toEqual([]);
});

test('built-in models are served by the providers of the environment', () => {
  const { models } = loadConfig({ env: { XAI_API_KEY: 'k' }, presets: PRESETS, builtInModels });
  expect(models.map(({ id }) => id)).toEqual(['acme/large', 'acme/other']);
  expect(loadConfig({ env: {}, presets: PRESETS, builtInModels }).models).toEqual([]);
});

test('a model that leaves out what is not built in is refused', () => {
  const models = [
    { id: 'acme/large' },
    { id: 'acme/other' },
    { id: 'acme/small', endpoints: [{ provider: 'mine' }, { provider: 'local' }] },
  ];
  const mine = { slug: 'mine', preset: 'groq', apiKey: 'k' };
  expect(refused({ providers: [mine, local], models }, { builtInModels })).toEqual([
    'models[1].endpoints: is missing, and no configured provider serves "acme/other" by itself: name its endpoints',
    "models[2].endpoints[1].providerModel: is missing, and this is not built in: give the provider's own name of the model",
  ]);
});

test('sends calls of the Responses form on in it to OpenAI and Azure, but to no other server at their place', () => {
  const at = 'https://proxy.example/v1';
  const azure = { slug: 'azure', preset: 'azure', apiKey: 'k', baseUrl: 'https://r.openai.azure.com/openai/v1' };
  const byDeployment = 'https://r.openai.azure.com/openai/deployments/{model}';
  const { providers } = load({
    providers: [
      { slug: 'openai', preset: 'openai', apiKey: 'k' },
      azure,
      { ...azure, slug: 'azure-by-deployment', baseUrl: byDeployment },
      { slug: 'proxy', preset: 'openai', apiKey: 'k', baseUrl: at },
      { slug: 'proxy-that-has', preset: 'openai', apiKey: 'k', baseUrl: at, responses: true },
      { slug: 'openai-without', preset: 'openai', apiKey: 'k', responses: false },
      { slug: 'groq', preset: 'groq', apiKey: 'k' },
      local,
      { ...local, slug: 'local-that-has', responses: true },
      { slug: 'own', wire: 'openai-responses', baseUrl: at, query: { v: '1' } },
    ],
  });
  expect(Object.fromEntries(providers.map(({ slug, responses }) => [slug, responses]))).toEqual({
    openai: true,
    azure: true,
    'azure-by-deployment': false,
    proxy: false,
    'proxy-that-has': true,
    'openai-without': false,
    groq: false,
    local: false,
    'local-that-has': true,
    own: false,
  });
  expect(refused({ providers: [{ slug: 'a', preset: 'anthropic', apiKey: 'k', responses: true }] })).toEqual([
    'providers[0].responses: is not for the wire "anthropic"; remove it',
  ]);
});
