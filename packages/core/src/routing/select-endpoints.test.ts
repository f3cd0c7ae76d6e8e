import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createScriptedVideos } from '../../../../test/support/videos/scripted-videos.ts';
import type { AccountOptions } from '../account/account.ts';
import type { CallNeeds } from '../calls/call-kind.ts';
import { type CatalogModel, createCatalog, type Endpoint } from '../catalog/catalog.ts';
import type { Provider } from '../providers/provider.ts';
import type { EndpointDefinition, ModelDefinition } from '../wire/model-definition.ts';
import { type ProviderPreferences, providerPreferencesSchema } from '../wire/routing.ts';
import { ENDPOINT_FILTERS, type EndpointQuery, selectEndpoints, type Selection } from './select-endpoints.ts';

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
  { ...createScriptedVideos({ slug: 'films' }).provider, dataPolicy: { training: false, retainsPrompts: false } },
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

const NO_NEEDS: CallNeeds = {
  parameters: [],
  inputModalities: [],
  outputModalities: [],
  minPromptTokens: 0,
  outputTokens: 0,
  compression: 'never',
};

interface Query extends Partial<Omit<EndpointQuery, 'needs' | 'preferences' | 'resolved'>> {
  readonly preferences?: ProviderPreferences;
  readonly needs?: Partial<CallNeeds>;
  readonly endpoints?: readonly EndpointDefinition[];
  readonly model?: Partial<ModelDefinition>;
}

function select({ preferences = {}, needs = {}, endpoints = ENDPOINTS, model = {}, ...query }: Query = {}): Selection {
  const found = createCatalog(PROVIDERS, [{ id: 'acme/chat', ...model, endpoints: [...endpoints] }]).list()[0];
  if (found === undefined) throw new Error('no model');
  return selectEndpoints({
    resolved: { model: found, variants: [] },
    kind: 'chat',
    account: {},
    preferences: providerPreferencesSchema.parse(preferences),
    needs: { ...NO_NEEDS, ...needs },
    ...query,
  });
}

const tagsOf = ({ endpoints }: Selection): string[] => endpoints.map(({ tag }) => tag).toSorted();
const tags = (query: Query): string[] => tagsOf(select(query));
/** The rule for every endpoint that is excluded. */
const rules = (query: Query): Record<string, string> =>
  Object.fromEntries(select(query).excluded.map(({ endpoint, rule }) => [endpoint.tag, rule]));
const ALL = ['cheap', 'cheap/turbo', 'dear', 'private', 'unknown'];

test('excludes an endpoint whose price for a long prompt or for this hour is above max_price', () => {
  const overrides = [
    { min_prompt_tokens: 1000, prompt: '0.000004' },
    { utc_start: 800, utc_end: 2000, completion: '0.00001' },
  ];
  const endpoints = [
    priced('cheap', '0.000001', '0.000002', { pricing: { prompt: '0.000001', completion: '0.000002', overrides } }),
  ];
  const night = Date.UTC(2026, 0, 2, 3);
  const day = Date.UTC(2026, 0, 2, 12);
  const ask = (max_price: object, minPromptTokens: number, now: number): string[] =>
    tags({ endpoints, preferences: { max_price }, needs: { minPromptTokens }, now });
  expect(ask({ prompt: 2 }, 1000, night)).toEqual(['cheap']);
  expect(ask({ prompt: 2 }, 1001, night)).toEqual([]);
  expect(ask({ prompt: 4 }, 1001, night)).toEqual(['cheap']);
  expect(ask({ completion: 2 }, 0, night)).toEqual(['cheap']);
  expect(ask({ completion: 2 }, 0, day)).toEqual([]);
  expect(ask({ completion: 10, prompt: 1 }, 0, day)).toEqual(['cheap']);
});

test.each<[ProviderPreferences, string[]]>([
  [{ only: ['cheap'] }, ['cheap', 'cheap/turbo']],
  [{ only: ['cheap/turbo', 'dear'] }, ['cheap/turbo', 'dear']],
  [{ only: [] }, ALL],
  [{ only: null, ignore: null, order: null, quantizations: null, max_price: null, zdr: null }, ALL],
  [{ ignore: ['cheap'] }, ['dear', 'private', 'unknown']],
  [{ ignore: ['cheap/turbo', 'unknown'] }, ['cheap', 'dear', 'private']],
  [{ only: ['cheap'], ignore: ['cheap'] }, []],
  [{ zdr: true }, ['private']],
  [{ zdr: false }, ALL],
  [{ data_collection: 'deny' }, ['dear', 'private']],
  [{ data_collection: 'allow' }, ALL],
  [{ enforce_distillable_text: true }, []],
  [{ quantizations: ['fp8'] }, ['cheap', 'cheap/turbo']],
  [{ quantizations: ['mxfp8'] }, ['cheap/turbo']],
  [{ quantizations: ['fp16', 'int4'] }, ['dear', 'unknown']],
  [{ quantizations: ['unknown'] }, ['private']],
  [{ max_price: { prompt: 1 } }, ['cheap']],
  [{ max_price: { prompt: '2', completion: 4 } }, ['cheap', 'cheap/turbo']],
  [{ max_price: { prompt: 0 } }, []],
  [{ max_price: { completion: 5 } }, ['cheap', 'cheap/turbo']],
  [{ max_price: { request: 0.009 } }, ['cheap', 'cheap/turbo', 'dear', 'unknown']],
  [{ max_price: { request: '0.01', image: 0.001, audio: 0 } }, ALL],
  [{ max_price: {} }, ALL],
])('with %j the endpoints are %j', (preferences, expected) => {
  expect(tags({ preferences })).toEqual(expected);
});

test.each<[AccountOptions, ProviderPreferences, string[]]>([
  [{ providers: { only: ['cheap', 'dear'] } }, {}, ['cheap', 'cheap/turbo', 'dear']],
  [{ providers: { only: ['cheap', 'dear'] } }, { only: ['dear', 'private'] }, ['dear']],
  [{ providers: { only: [] } }, { only: ['dear'] }, ['dear']],
  [{ providers: { ignore: ['cheap'] } }, { ignore: ['dear'] }, ['private', 'unknown']],
  [{ privacy: { zdr: true } }, { zdr: false }, ['private']],
  [{ privacy: { allowTraining: false } }, { data_collection: 'allow' }, ['dear', 'private']],
  [{ privacy: { allowTraining: true, zdr: false } }, {}, ALL],
])('an account of %j narrows a request for %j to %j', (account, preferences, expected) => {
  expect(tags({ preferences, account })).toEqual(expected);
});

test.each<[Query, Record<string, string>]>([
  [{}, {}],
  [{ preferences: { zdr: true } }, { films: 'zdr' }],
  [{ account: { privacy: { zdr: true } } }, { films: 'account.privacy.zdr' }],
])('of a kind that leaves data with providers which retain no prompts, %j excludes %j', (query, expected) => {
  expect(rules({ kind: 'video', endpoints: [{ provider: 'films', providerModel: 'm' }], ...query })).toEqual(expected);
});

test('keeps only endpoints that list every parameter, when that is required', () => {
  const needing = (parameters: string[], require_parameters = true): string[] =>
    tags({ preferences: { require_parameters }, needs: { parameters } });
  expect(needing(['tools', 'seed'])).toEqual(['dear']);
  expect(needing(['tools'])).toEqual(['cheap', 'dear']);
  expect(needing(['max_completion_tokens', 'tool_choice'])).toEqual(['dear']);
  expect(needing(['nothing'])).toEqual([]);
  expect(needing(['nothing'], false)).toEqual(ALL);
});

test('leaves out providers that offer no chat', () => {
  const query = { endpoints: [priced('films', '0', '0'), priced('dear', '1', '1')] };
  expect(tags(query)).toEqual(['dear']);
  expect(rules(query)).toEqual({ films: 'chat' });
});

test('prefers endpoints that support the requested tools, response format or verbosity, and none when none does', () => {
  const listing = (provider: string, ...supported_parameters: string[]): EndpointDefinition => ({
    provider,
    providerModel: 'm',
    supported_parameters,
  });
  const endpoints = [
    listing('cheap', 'seed'),
    listing('dear', 'tools'),
    listing('private', 'structured_outputs'),
    { provider: 'unknown', providerModel: 'm' },
  ];
  const needing = (...parameters: string[]): Query => ({ endpoints, needs: { parameters } });
  expect(tags(needing('tools'))).toEqual(['dear', 'unknown']);
  expect(rules(needing('tools'))).toEqual({ cheap: 'tools', private: 'tools' });
  expect(tags(needing('response_format'))).toEqual(['private', 'unknown']);
  expect(tags(needing('seed'))).toHaveLength(4);
  expect(tags({ ...needing('verbosity'), endpoints: endpoints.slice(0, 3) })).toEqual(['cheap', 'dear', 'private']);
});

test('where a prompt may be shortened, takes endpoints with room for half of it, or else those with the most', () => {
  const endpoints = [
    priced('cheap', '0', '0', { context_length: 8000 }),
    priced('dear', '0', '0', { context_length: 32_000 }),
    priced('private', '0', '0', { context_length: 100_000 }),
  ];
  const fitting = (compression: 'always' | 'small' | 'never', minPromptTokens: number): Query => ({
    endpoints,
    needs: { minPromptTokens, outputTokens: 1000, compression },
  });
  expect(tags(fitting('always', 10_000))).toEqual(['cheap', 'dear', 'private']);
  expect(rules(fitting('always', 60_000))).toEqual({ cheap: 'context_length' });
  expect(tags(fitting('always', 150_000))).toEqual(['private']);
  expect(tags(fitting('always', 500_000))).toEqual(['private']);
  expect(tags(fitting('never', 40_000))).toEqual(['private']);
  expect(tags(fitting('small', 10_000))).toEqual(['dear', 'private']);
  expect(tags(fitting('small', 40_000))).toEqual(['private']);
});

test('a prompt is not shortened to nothing: an endpoint needs more room than the completion takes', () => {
  const endpoints = [
    priced('cheap', '0', '0', { context_length: 4096 }),
    priced('dear', '0', '0', { context_length: 32_000 }),
  ];
  const shortened = (outputTokens: number): Query => ({
    endpoints,
    needs: { minPromptTokens: 1, outputTokens, compression: 'always' },
  });
  expect(rules(shortened(4095))).toEqual({});
  expect(rules(shortened(4096))).toEqual({ cheap: 'context_length' });
});

test('leaves out endpoints too short for the prompt and its completion', () => {
  const endpoints = [
    priced('cheap', '0', '0', { context_length: 1000 }),
    priced('dear', '0', '0', { context_length: 100_000, max_completion_tokens: 500 }),
    priced('private', '0', '0', { context_length: 100_000, max_prompt_tokens: 900 }),
    priced('unknown', '0', '0', { minOutputTokens: 16 }),
  ];
  const fitting = (minPromptTokens: number, outputTokens: number): Query => ({
    endpoints,
    needs: { minPromptTokens, outputTokens, compression: 'never' },
  });
  expect(rules(fitting(900, 100))).toEqual({});
  expect(rules(fitting(901, 100))).toEqual({ cheap: 'context_length', private: 'context_length' });
  expect(rules(fitting(0, 501))).toEqual({ dear: 'max_tokens' });
  expect(rules(fitting(0, 15))).toEqual({ unknown: 'minOutputTokens' });
  expect(tags(fitting(200_000, 200_000))).toEqual(['unknown']);
});

test('leaves out models without the requested input or output, and keeps those that declare none', () => {
  const model = { architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] } };
  expect(tags({ model, needs: { inputModalities: ['image'] } })).toEqual(ALL);
  expect(rules({ model, needs: { inputModalities: ['image', 'audio'] } })).toHaveProperty('dear', 'input_modalities');
  expect(rules({ model, needs: { outputModalities: ['image'] } })).toHaveProperty('dear', 'modalities');
  expect(tags({ needs: { inputModalities: ['audio'], outputModalities: ['image'] } })).toEqual(ALL);
});

test('leaves out a model from the day on which it expires', () => {
  const model = { expiration_date: '2026-03-01' };
  expect(tags({ model, today: '2026-02-28' })).toEqual(ALL);
  expect(tags({ model, today: '2026-03-01' })).toEqual([]);
  expect(rules({ model, today: '2026-03-01' })).toHaveProperty('dear', 'expiration_date');
});

test('leaves out models that are not known to permit training of others', () => {
  const preferences = { enforce_distillable_text: true };
  expect(tags({ preferences, model: { distillable: true } })).toEqual(ALL);
  expect(rules({ preferences, model: { distillable: false } })).toHaveProperty('dear', 'enforce_distillable_text');
});

test('keeps to the region, and takes an endpoint without one for elsewhere', () => {
  const endpoints = [
    priced('cheap', '0', '0', { region: 'eu' }),
    priced('dear', '0', '0', { region: 'us' }),
    priced('private', '0', '0'),
  ];
  const region = { name: 'eu', dataRegion: 'europe' as const };
  expect(tags({ endpoints, region })).toEqual(['cheap']);
  expect(rules({ endpoints, region })).toEqual({ dear: 'region', private: 'region' });
  expect(tags({ endpoints, region: null })).toHaveLength(3);
});

test.each<[string, Query, string[]]>([
  ['no request without a tier', {}, ['cheap', 'cheap/turbo']],
  ['who asks for the tier', { tiers: new Set(['flex']) }, ['cheap', 'cheap/flex', 'cheap/turbo']],
  ['who names it in only', { preferences: { only: ['cheap/flex'] } }, ['cheap/flex']],
  ['who names it in order', { preferences: { order: ['cheap/priority'] } }, ['cheap', 'cheap/priority', 'cheap/turbo']],
  ['no request that names only the provider', { preferences: { only: ['cheap'] } }, ['cheap', 'cheap/turbo']],
  ['no request that ignores the provider', { preferences: { ignore: ['cheap'] }, tiers: new Set(['flex']) }, []],
])('serves endpoints of a tier to %s', (_name, query, expected) => {
  const endpoints = ['flex', 'priority', 'turbo'].map((tag) => priced('cheap', '1', '1', { tag }));
  expect(tags({ endpoints: [priced('cheap', '1', '1'), ...endpoints], ...query })).toEqual(expected);
});

test('applies rules from outside like its own, and says whose they are', () => {
  const constraints = [
    { rule: 'allowed_providers', guardrailId: 'g-1', excludes: ({ provider }: Endpoint) => provider.slug === 'dear' },
    { rule: 'ignored_providers', excludes: ({ provider }: Endpoint) => provider.slug !== 'private' },
  ];
  const { endpoints, excluded } = select({ constraints, preferences: { ignore: ['cheap/turbo'] } });
  expect(endpoints.map(({ tag }) => tag)).toEqual(['private']);
  expect(excluded.map(({ endpoint, rule, guardrailId }) => [endpoint.tag, rule, guardrailId])).toEqual([
    ['dear', 'allowed_providers', 'g-1'],
    ['cheap', 'ignored_providers', undefined],
    ['cheap/turbo', 'ignore', undefined],
    ['unknown', 'ignored_providers', undefined],
  ]);
});

test('says which rule excluded each endpoint', () => {
  const query: Query = {
    preferences: { only: ['cheap', 'dear', 'unknown'], ignore: ['cheap/turbo'], max_price: { prompt: 5 } },
    account: { providers: { ignore: ['unknown'] } },
  };
  expect(rules(query)).toEqual({
    'cheap/turbo': 'ignore',
    dear: 'max_price',
    private: 'only',
    unknown: 'account.providers.ignore',
  });
});

const slug = fc.constantFrom('cheap', 'cheap/turbo', 'dear', 'private', 'unknown', 'nobody', '__proto__');
const slugs = fc.option(fc.array(slug, { maxLength: 3 }));
const anyPreferences = fc.record({
  order: slugs,
  only: slugs,
  ignore: slugs,
  zdr: fc.boolean(),
  require_parameters: fc.boolean(),
  data_collection: fc.constantFrom('allow' as const, 'deny' as const),
  quantizations: fc.option(fc.array(fc.constantFrom('fp8', 'fp16', 'unknown'), { maxLength: 2 })),
  max_price: fc.option(fc.record({ prompt: fc.constantFrom(1, 2, 5, 20) })),
});

test('keeps or excludes every endpoint once, whatever is preferred', () => {
  fc.assert(
    fc.property(anyPreferences, (preferences) => {
      const { endpoints, excluded } = select({ preferences });
      const all = [...endpoints, ...excluded.map(({ endpoint }) => endpoint)].map(({ tag }) => tag);
      expect(all.toSorted()).toEqual(ALL);
    }),
  );
});

test('leaves the same endpoints in whatever order its filters look', () => {
  const shuffled = fc.shuffledSubarray([...ENDPOINT_FILTERS], { minLength: ENDPOINT_FILTERS.length });
  const model = createCatalog(PROVIDERS, [{ id: 'acme/chat', endpoints: ENDPOINTS }]).find('acme/chat');
  fc.assert(
    fc.property(anyPreferences, shuffled, (preferences, filters) => {
      const resolved = { model: model as CatalogModel, variants: [] };
      const query = { resolved, kind: 'chat' as const, preferences, account: {}, needs: NO_NEEDS };
      const left = resolved.model.endpoints.filter((endpoint) =>
        filters.every(({ excludes }) => !excludes(endpoint, query)),
      );
      expect(left).toEqual(selectEndpoints(query).endpoints);
    }),
  );
});
