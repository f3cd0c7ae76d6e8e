import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createCatalog } from '../catalog/catalog.ts';
import type { EndpointDefinition } from '../catalog/model-definition.ts';
import type { AccountOptions } from '../options.ts';
import type { Provider } from '../providers/provider.ts';
import { type ProviderPreferences, providerPreferencesSchema } from '../schemas/provider-preferences.ts';
import { parametersOf, selectEndpoints, type Selection } from './select-endpoints.ts';

async function* noChat(): AsyncGenerator<never> {}

const providerOf = (slug: string, policy: Partial<Provider['dataPolicy']> = {}): Provider => ({
  slug,
  name: slug,
  dataPolicy: { training: null, retainsPrompts: null, ...policy },
  chat: noChat,
});

const PROVIDERS = [
  providerOf('cheap', { training: true, retainsPrompts: true }),
  providerOf('dear', { training: false, retainsPrompts: true }),
  providerOf('private', { training: false, retainsPrompts: false }),
  providerOf('unknown'),
  { slug: 'films', name: 'films', dataPolicy: { training: false, retainsPrompts: false } },
];

const priced = (
  provider: string,
  prompt: string,
  completion: string,
  extra: Partial<EndpointDefinition> = {},
): EndpointDefinition => ({
  provider,
  providerModel: 'm',
  pricing: {
    prompt,
    completion,
  },
  ...extra,
});

const ENDPOINTS: EndpointDefinition[] = [
  priced('dear', '0.00001', '0.00003', { quantization: 'fp16', supported_parameters: ['tools', 'seed', 'max_tokens'] }),
  priced('cheap', '0.000001', '0.000002', { quantization: 'fp8', supported_parameters: ['tools'] }),
  priced('cheap', '0.000002', '0.000004', { tag: 'turbo', quantization: 'mxfp8' }),
  priced('private', '0.000003', '0.000006', {
    pricing: { prompt: '0.000003', completion: '0.000006', request: '0.01', image: '0.001' },
  }),
  { provider: 'unknown', providerModel: 'm', quantization: 'int4' },
];

function select(
  preferences: ProviderPreferences = {},
  account: AccountOptions = {},
  parameters: readonly string[] = [],
  endpoints: EndpointDefinition[] = ENDPOINTS,
): Selection {
  const model = createCatalog(PROVIDERS, [{ id: 'acme/chat', endpoints }]).list()[0];
  if (model === undefined) throw new Error('no model');
  return selectEndpoints({
    resolved: {
      model,
      variants: [],
    },
    account,
    parameters,
    preferences: providerPreferencesSchema.parse(preferences),
  });
}

const tags = (...query: Parameters<typeof select>): string[] => select(...query).endpoints.map(({ tag }) => tag);

test('puts the cheapest first, and what has no price last', () => {
  expect(tags()).toEqual(['cheap', 'cheap/turbo', 'private', 'dear', 'unknown']);
});

test.each<[ProviderPreferences, string[]]>([
  [{ order: ['private'] }, ['private', 'cheap', 'cheap/turbo', 'dear', 'unknown']],
  [{ order: ['dear', 'private'] }, ['dear', 'private', 'cheap', 'cheap/turbo', 'unknown']],
  [{ order: ['dear', 'cheap'], allow_fallbacks: false }, ['dear', 'cheap', 'cheap/turbo']],
  [{ order: ['cheap/turbo'], allow_fallbacks: false }, ['cheap/turbo']],
  [{ order: ['nobody'], allow_fallbacks: false }, []],
  [{ order: ['nobody', 'private', 'private'] }, ['private', 'cheap', 'cheap/turbo', 'dear', 'unknown']],
  [{ order: [] }, ['cheap', 'cheap/turbo', 'private', 'dear', 'unknown']],
  [{ allow_fallbacks: false }, ['cheap']],
  [{ only: ['cheap'] }, ['cheap', 'cheap/turbo']],
  [{ only: ['cheap/turbo', 'dear'] }, ['cheap/turbo', 'dear']],
  [{ only: [] }, ['cheap', 'cheap/turbo', 'private', 'dear', 'unknown']],
  [
    { only: null, ignore: null, order: null, quantizations: null, max_price: null, zdr: null },
    ['cheap', 'cheap/turbo', 'private', 'dear', 'unknown'],
  ],
  [{ ignore: ['cheap'] }, ['private', 'dear', 'unknown']],
  [{ ignore: ['cheap/turbo', 'unknown'] }, ['cheap', 'private', 'dear']],
  [{ only: ['cheap'], ignore: ['cheap'] }, []],
  [{ zdr: true }, ['private']],
  [{ zdr: false }, ['cheap', 'cheap/turbo', 'private', 'dear', 'unknown']],
  [{ data_collection: 'deny' }, ['private', 'dear']],
  [{ data_collection: 'allow' }, ['cheap', 'cheap/turbo', 'private', 'dear', 'unknown']],
  [{ enforce_distillable_text: true }, []],
  [{ quantizations: ['fp8'] }, ['cheap', 'cheap/turbo']],
  [{ quantizations: ['mxfp8'] }, ['cheap/turbo']],
  [{ quantizations: ['fp16', 'int4'] }, ['dear', 'unknown']],
  [{ quantizations: ['unknown'] }, ['private']],
  [{ quantizations: ['constructor'] }, []],
  [{ max_price: { prompt: 1 } }, ['cheap']],
  [{ max_price: { prompt: '2', completion: 4 } }, ['cheap', 'cheap/turbo']],
  [{ max_price: { prompt: 0 } }, []],
  [{ max_price: { completion: 5 } }, ['cheap', 'cheap/turbo']],
  [{ max_price: { request: 0.009 } }, ['cheap', 'cheap/turbo', 'dear', 'unknown']],
  [{ max_price: { request: '0.01', image: 0.001, audio: 0 } }, ['cheap', 'cheap/turbo', 'private', 'dear', 'unknown']],
  [{ max_price: {} }, ['cheap', 'cheap/turbo', 'private', 'dear', 'unknown']],
])('with %j the endpoints are %j', (preferences, expected) => {
  expect(tags(preferences)).toEqual(expected);
});

test.each<[AccountOptions, ProviderPreferences, string[]]>([
  [{ providers: { only: ['cheap', 'dear'] } }, {}, ['cheap', 'cheap/turbo', 'dear']],
  [{ providers: { only: ['cheap', 'dear'] } }, { only: ['dear', 'private'] }, ['dear']],
  [{ providers: { only: [] } }, { only: ['dear'] }, ['dear']],
  [{ providers: { ignore: ['cheap'] } }, { ignore: ['dear'] }, ['private', 'unknown']],
  [{ privacy: { zdr: true } }, { zdr: false }, ['private']],
  [{ privacy: { allowTraining: false } }, { data_collection: 'allow' }, ['private', 'dear']],
  [{ privacy: { allowTraining: true, zdr: false } }, {}, ['cheap', 'cheap/turbo', 'private', 'dear', 'unknown']],
])('an account of %j narrows what %j asks for to %j', (account, preferences, expected) => {
  expect(tags(preferences, account)).toEqual(expected);
});

test('keeps only endpoints that list every parameter, when that is required', () => {
  expect(tags({ require_parameters: true }, {}, ['tools', 'seed'])).toEqual(['dear']);
  expect(tags({ require_parameters: true }, {}, ['tools'])).toEqual(['cheap', 'dear']);
  expect(tags({ require_parameters: false }, {}, ['nothing'])).toHaveLength(5);
});

test('leaves out providers that offer no chat', () => {
  const { endpoints, excluded } = select({}, {}, [], [priced('films', '0', '0'), priced('dear', '1', '1')]);
  expect(endpoints.map(({ tag }) => tag)).toEqual(['dear']);
  expect(excluded.map(({ endpoint, rule }) => [endpoint.tag, rule])).toEqual([['films', 'chat']]);
});

test('says which rule excluded each endpoint', () => {
  const { excluded } = select(
    { only: ['cheap', 'dear', 'unknown'], ignore: ['cheap/turbo'], max_price: { prompt: 5 } },
    { providers: { ignore: ['unknown'] } },
  );
  expect(Object.fromEntries(excluded.map(({ endpoint, rule }) => [endpoint.tag, rule]))).toEqual({
    'cheap/turbo': 'ignore',
    dear: 'max_price',
    private: 'only',
    unknown: 'account.providers.ignore',
  });
});

test('keeps or excludes every endpoint once, whatever is preferred', () => {
  const slug = fc.constantFrom('cheap', 'cheap/turbo', 'dear', 'private', 'unknown', 'nobody', '__proto__');
  const slugs = fc.option(fc.array(slug, { maxLength: 3 }));
  const preferences = fc.record({
    order: slugs,
    only: slugs,
    ignore: slugs,
    zdr: fc.boolean(),
    require_parameters: fc.boolean(),
    data_collection: fc.constantFrom('allow' as const, 'deny' as const),
    quantizations: fc.option(fc.array(fc.constantFrom('fp8', 'fp16', 'unknown'), { maxLength: 2 })),
  });
  fc.assert(
    fc.property(preferences, (preferred) => {
      const { endpoints, excluded } = select(preferred);
      const all = [...endpoints, ...excluded.map(({ endpoint }) => endpoint)].map(({ tag }) => tag);
      expect(all.toSorted()).toEqual(['cheap', 'cheap/turbo', 'dear', 'private', 'unknown']);
    }),
  );
});

test('names the parameters of a request, and no other fields', () => {
  expect(
    parametersOf({
      messages: [
        {
          role: 'user',
          content: 'x',
        },
      ],
      model: 'a/b',
      stream: true,
      user: 'u',
      temperature: 0,
      seed: null,
      stop: undefined,
      tools: [],
      include_reasoning: false,
    }),
  ).toEqual(['temperature', 'tools', 'include_reasoning']);
});
