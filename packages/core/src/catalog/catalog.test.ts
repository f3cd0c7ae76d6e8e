import { expect, test } from 'vitest';

import { type Provider, UNKNOWN_DATA_POLICY } from '../providers/provider.ts';
import { modelDefinitionSchema } from '../wire/model-definition.ts';
import { createCatalog } from './catalog.ts';

const providerOf = (slug: string, region?: string): Provider => ({
  slug,
  name: slug.toUpperCase(),
  dataPolicy: UNKNOWN_DATA_POLICY,
  region,
});

test('finds a model by its aliases, none of which hides an id or an earlier alias', () => {
  const definitionOf = (id: string, aliases?: string[]) => ({
    id,
    ...(aliases && { aliases }),
    endpoints: [{ provider: 'acme', providerModel: 'm' }],
  });
  const provider = { slug: 'acme', name: 'Acme', dataPolicy: { training: null, retainsPrompts: null } };
  const catalog = createCatalog(
    [provider],
    [definitionOf('acme/one', ['fast', 'acme/two']), definitionOf('acme/two', ['fast', 'slow'])],
  );
  expect(['fast', 'slow', 'acme/two', 'Fast'].map((slug) => catalog.find(slug)?.id)).toEqual([
    'acme/one',
    'acme/two',
    'acme/two',
    undefined,
  ]);
  expect(catalog.list().map(({ id }) => id)).toEqual(['acme/one', 'acme/two']);
});

test('builds an endpoint from what the model, the endpoint and the provider say', () => {
  const acme = providerOf('acme', 'eu');
  const { endpoints } = createCatalog(
    [acme],
    [
      {
        id: 'acme/chat',
        context_length: 1000,
        endpoints: [
          { provider: 'acme', providerModel: 'chat-1' },
          {
            provider: 'acme',
            providerModel: 'chat-1-turbo',
            tag: 'turbo',
            region: 'us',
            context_length: 500,
            max_completion_tokens: 100,
            max_prompt_tokens: 400,
            minOutputTokens: 16,
            pricing: { prompt: '0.5', completion: '1' },
            supported_parameters: ['seed'],
            quantization: 'fp8',
            supports_implicit_caching: true,
            prefill: 'prefix',
          },
        ],
      },
    ],
  ).find('acme/chat') ?? { endpoints: [] };
  expect(endpoints).toEqual([
    {
      modelId: 'acme/chat',
      provider: acme,
      providerModel: 'chat-1',
      tag: 'acme',
      pricing: undefined,
      prices: {},
      contextLength: 1e3,
      maxCompletionTokens: null,
      maxPromptTokens: null,
      minOutputTokens: null,
      supportedParameters: null,
      quantization: null,
      region: 'eu',
      supportsImplicitCaching: false,
      prefill: null,
    },
    {
      modelId: 'acme/chat',
      provider: acme,
      providerModel: 'chat-1-turbo',
      tag: 'acme/turbo',
      pricing: {
        prompt: '0.5',
        completion: '1',
      },
      prices: {
        prompt: 5n * 10n ** 17n,
        completion: 10n ** 18n,
      },
      contextLength: 500,
      maxCompletionTokens: 100,
      maxPromptTokens: 400,
      minOutputTokens: 16,
      supportedParameters: new Set(['seed']),
      quantization: 'fp8',
      region: 'us',
      supportsImplicitCaching: true,
      prefill: 'prefix',
    },
  ]);
});

test('goes by what is known of a provider’s models, unless an endpoint says how it continues a text', () => {
  const prefillOf = (model: string) => (model === 'old' ? 'continues' : null);
  const acme = { ...providerOf('acme'), prefillOf };
  const { endpoints } = createCatalog(
    [acme],
    [
      {
        id: 'acme/chat',
        endpoints: [
          { provider: 'acme', providerModel: 'old' },
          { provider: 'acme', providerModel: 'new' },
          { provider: 'acme', providerModel: 'old', prefill: false },
          { provider: 'acme', providerModel: 'new', prefill: 'continue_final_message' },
        ],
      },
    ],
  ).find('acme/chat') ?? { endpoints: [] };
  expect(endpoints.map(({ prefill }) => prefill)).toEqual(['continues', null, null, 'continue_final_message']);
});

test('finds a model by its id and by its dated name, and hides none behind another', () => {
  const catalog = createCatalog(
    [providerOf('acme')],
    [
      {
        id: 'acme/chat',
        canonical_slug: 'acme/other',
        name: 'one',
        endpoints: [{ provider: 'acme', providerModel: '1' }],
      },
      {
        id: 'acme/other',
        canonical_slug: 'acme/other-2026',
        name: 'two',
        endpoints: [{ provider: 'acme', providerModel: '2' }],
      },
      { id: 'acme/chat', name: 'three', endpoints: [{ provider: 'acme', providerModel: '3' }] },
    ],
  );
  const nameOf = (slug: string): string | undefined => catalog.find(slug)?.definition.name;
  expect(['acme/chat', 'acme/other', 'acme/other-2026', 'acme/none', '__proto__', 'constructor'].map(nameOf)).toEqual([
    'one',
    'two',
    'two',
    undefined,
    undefined,
    undefined,
  ]);
  expect(catalog.list().map(({ definition }) => definition.name)).toEqual(['one', 'two']);
});

test('names the providers there are when a model names another', () => {
  const model = { id: 'a/b', endpoints: [{ provider: 'acme', providerModel: 'x' }] };
  expect(() => createCatalog([providerOf('one'), providerOf('two')], [model])).toThrow(
    new RangeError('model a/b names the provider "acme"; configured providers: one, two'),
  );
  expect(() => createCatalog([], [model])).toThrow('configured providers: none');
});

test('replaces what a provider listed before, and never a configured model', () => {
  const local = providerOf('local');
  const catalog = createCatalog(
    [local],
    [{ id: 'local/fixed', name: 'configured', endpoints: [{ provider: 'local', providerModel: 'f' }] }],
  );
  catalog.setDiscovered(local, [{ id: 'a' }, { id: 'fixed' }, { id: 'library/b:8b', created: 5, contextLength: 100 }]);
  expect(catalog.list().map(({ id }) => id)).toEqual(['local/fixed', 'local/a', 'local/library/b:8b']);
  expect(catalog.find('local/fixed')?.definition.name).toBe('configured');
  expect(catalog.find('local/library/b:8b')).toMatchObject({
    definition: { name: 'library/b:8b', created: 5, context_length: 100 },
    endpoints: [{ providerModel: 'library/b:8b', contextLength: 100, prices: {} }],
  });

  catalog.setDiscovered(local, [{ id: 'c' }]);
  expect(catalog.list().map(({ id }) => id)).toEqual(['local/fixed', 'local/c']);
  expect(catalog.find('local/a')).toBeUndefined();
});

test('knows of a discovered model what is known of the same model at the same provider', () => {
  const [local, other] = [providerOf('local'), providerOf('other')];
  const pricing = { prompt: '1', completion: '2' };
  const catalog = createCatalog(
    [local, other],
    [{ id: 'acme/chat', endpoints: [{ provider: 'local', providerModel: 'chat-1', pricing }] }],
  );
  catalog.setDiscovered(local, [{ id: 'chat-1' }, { id: 'chat-2' }]);
  catalog.setDiscovered(other, [{ id: 'chat-1' }]);
  const pricingOf = (id: string): unknown => catalog.find(id)?.endpoints[0]?.pricing;
  expect(['local/chat-1', 'local/chat-2', 'other/chat-1'].map(pricingOf)).toEqual([pricing, undefined, undefined]);
});

test('keeps what each provider listed apart', () => {
  const [one, two] = [providerOf('one'), providerOf('two')];
  const catalog = createCatalog([one, two], []);
  catalog.setDiscovered(one, [{ id: 'x' }]);
  catalog.setDiscovered(two, [{ id: 'x' }]);
  catalog.setDiscovered(one, []);
  expect(catalog.list().map(({ id }) => id)).toEqual(['two/x']);
  expect(catalog.find('two/x')?.endpoints[0]?.region).toBeNull();
});

const endpoints = [{ provider: 'p', providerModel: 'm' }];

test.each([
  ['an id without an author', { id: 'chat', endpoints }, 'id'],
  ['no endpoint', { id: 'a/b', endpoints: [] }, 'endpoints'],
  [
    'a price that is a number',
    { id: 'a/b', endpoints: [{ ...endpoints[0], pricing: { prompt: 0.1 } }] },
    'endpoints.0.pricing.prompt',
  ],
  [
    'a price below zero',
    { id: 'a/b', endpoints: [{ ...endpoints[0], pricing: { video: '-1' } }] },
    'endpoints.0.pricing.video',
  ],
  [
    'a price of an unknown unit',
    { id: 'a/b', endpoints: [{ ...endpoints[0], pricing: { promt: '1' } }] },
    'endpoints.0.pricing',
  ],
  [
    'a price of a time that has no end',
    { id: 'a/b', endpoints: [{ ...endpoints[0], pricing: { overrides: [{ utc_start: 100, prompt: '1' }] } }] },
    'endpoints.0.pricing.overrides.0',
  ],
  [
    'a time of day that there is not',
    { id: 'a/b', endpoints: [{ ...endpoints[0], pricing: { overrides: [{ utc_start: 160, utc_end: 200 }] } }] },
    'endpoints.0.pricing.overrides.0.utc_start',
  ],
  ['an unknown field', { id: 'a/b', endpoints, contextlength: 5 }, ''],
])('refuses a model definition with %s', (_name, definition, path) => {
  const issues = modelDefinitionSchema.safeParse(definition).error?.issues ?? [];
  expect(issues.map((issue) => issue.path.join('.'))).toEqual([path]);
});

test('accepts every unit of price', () => {
  const pricing = {
    prompt: '0.1',
    completion: '1',
    video: '0.5',
    video_second: '0.1',
    video_token: '0.000001',
    web_search: '4',
    overrides: [
      { min_prompt_tokens: 200_000, prompt: '0.2', input_cache_read: '0.05' },
      { utc_start: 2300, utc_end: 100, utc_days: ['monday'], completion: '2' },
    ],
  };
  expect(
    modelDefinitionSchema.safeParse({ id: 'a/b', endpoints: [{ ...endpoints[0], pricing }] }).error,
  ).toBeUndefined();
});
