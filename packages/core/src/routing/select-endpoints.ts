import type { Endpoint } from '../catalog/catalog.ts';
import type { AccountOptions } from '../options.ts';
import type { ChatCompletionRequest } from '../schemas/chat-completion.ts';
import type { ProviderPreferences } from '../schemas/provider-preferences.ts';
import type { ResolvedModel } from './resolve-models.ts';

export interface EndpointQuery {
  readonly resolved: ResolvedModel;
  readonly preferences: ProviderPreferences;
  readonly account: AccountOptions;
  /** Names of the request's parameters, for `require_parameters`. */
  readonly parameters: readonly string[];
}

/** Why an endpoint may not serve a request: the preference that says so, by its field name. */
export interface Exclusion {
  readonly endpoint: Endpoint;
  readonly rule: string;
}

export interface Selection {
  /** Best first. */
  readonly endpoints: readonly Endpoint[];
  readonly excluded: readonly Exclusion[];
}

interface Filter {
  readonly rule: string;
  readonly excludes: (endpoint: Endpoint, query: EndpointQuery) => boolean;
}

/** Whether a provider slug of a preference means this endpoint: a base slug all of them, a suffixed one exactly it. */
const names = (slug: string, { tag, provider }: Endpoint): boolean => slug === tag || slug === provider.slug;

const isListed = (slugs: readonly string[], endpoint: Endpoint): boolean => slugs.some((slug) => names(slug, endpoint));

/** Narrower precisions are covered by their family's name (api reference 8.1). */
const QUANTIZATION_FAMILIES: Readonly<Record<string, readonly string[]>> = {
  fp4: ['fp4', 'mxfp4', 'nvfp4'],
  fp8: ['fp8', 'mxfp8'],
};

/** Each filter looks at one endpoint alone, so their order makes no difference. Facts that are not known never pass. */
const FILTERS: readonly Filter[] = [
  { rule: 'chat', excludes: ({ provider }) => provider.chat === undefined },
  { rule: 'only', excludes: (endpoint, { preferences: { only } }) => !!only?.length && !isListed(only, endpoint) },
  { rule: 'ignore', excludes: (endpoint, { preferences: { ignore } }) => !!ignore && isListed(ignore, endpoint) },
  {
    rule: 'account.providers.only',
    excludes: (endpoint, { account }) =>
      !!account.providers?.only?.length && !isListed(account.providers.only, endpoint),
  },
  {
    rule: 'account.providers.ignore',
    excludes: (endpoint, { account }) => isListed(account.providers?.ignore ?? [], endpoint),
  },
  {
    rule: 'zdr',
    excludes: ({ provider }, { preferences, account }) =>
      (preferences.zdr === true || account.privacy?.zdr === true) && provider.dataPolicy.retainsPrompts !== false,
  },
  {
    rule: 'data_collection',
    excludes: ({ provider }, { preferences, account }) =>
      (preferences.data_collection === 'deny' || account.privacy?.allowTraining === false) &&
      provider.dataPolicy.training !== false,
  },
  // Nothing in the catalogue says yet which authors allow distillation, and not known is not allowed.
  { rule: 'enforce_distillable_text', excludes: (_, { preferences }) => preferences.enforce_distillable_text === true },
  {
    rule: 'quantizations',
    excludes: ({ quantization }, { preferences: { quantizations } }) =>
      !!quantizations?.length &&
      !quantizations.flatMap((name) => QUANTIZATION_FAMILIES[name] ?? [name]).includes(quantization ?? 'unknown'),
  },
  {
    rule: 'require_parameters',
    excludes: ({ supportedParameters }, { preferences, parameters }) =>
      preferences.require_parameters === true && !parameters.every((name) => supportedParameters?.has(name)),
  },
  { rule: 'max_price', excludes: (endpoint, { preferences }) => exceedsMaxPrice(endpoint, preferences) },
];

/**
 * The endpoints of one model that may serve a request, best first, and why the others may not.
 *
 * Makes no call and never throws: what an empty list means is the caller's to decide.
 */
export function selectEndpoints(query: EndpointQuery): Selection {
  const endpoints: Endpoint[] = [];
  const excluded: Exclusion[] = [];
  for (const endpoint of query.resolved.model.endpoints) {
    const filter = FILTERS.find(({ excludes }) => excludes(endpoint, query));
    if (filter === undefined) endpoints.push(endpoint);
    else excluded.push({ endpoint, rule: filter.rule });
  }
  return { endpoints: orderEndpoints(endpoints, query.preferences), excluded };
}

/** Cheapest first; what `order` names comes before everything else. Without fallbacks only the first choices stay. */
function orderEndpoints(endpoints: readonly Endpoint[], preferences: ProviderPreferences): readonly Endpoint[] {
  const byPrice = endpoints.length < 2 ? endpoints : endpoints.toSorted((a, b) => priceOf(a) - priceOf(b));
  const { order, allow_fallbacks: allowFallbacks } = preferences;
  if (order?.length) {
    const first = new Set(order.flatMap((slug) => byPrice.filter((endpoint) => names(slug, endpoint))));
    return allowFallbacks === false ? [...first] : [...first, ...byPrice.filter((endpoint) => !first.has(endpoint))];
  }
  return allowFallbacks === false ? byPrice.slice(0, 1) : byPrice;
}

/** One number to compare by: most calls read about three times what they write. A price not known comes last. */
function priceOf({ pricing }: Endpoint): number {
  const blend = (3 * Number(pricing?.prompt) + Number(pricing?.completion)) / 4;
  return Number.isNaN(blend) ? Number.MAX_VALUE : blend;
}

/** Token bounds are USD a million, the others USD a unit. An endpoint whose price is not known fails every bound. */
function exceedsMaxPrice({ pricing }: Endpoint, { max_price: bounds }: ProviderPreferences): boolean {
  if (!bounds) return false;
  const perMillion = (['prompt', 'completion'] as const).some(
    (unit) => bounds[unit] !== undefined && !(Number(pricing?.[unit]) * 1e6 <= Number(bounds[unit])),
  );
  // A unit without a price is not charged for, unlike tokens.
  const perUnit = (['request', 'image', 'audio'] as const).some(
    (unit) => bounds[unit] !== undefined && Number(pricing?.[unit] ?? 0) > Number(bounds[unit]),
  );
  return perMillion || perUnit;
}

/** The request's parameters as lists of supported parameters name them. */
export function parametersOf(request: ChatCompletionRequest): readonly string[] {
  const values = request as Readonly<Record<string, unknown>>;
  return PARAMETERS.filter((name) => values[name] !== undefined && values[name] !== null);
}

const PARAMETERS = [
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'top_a',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'max_tokens',
  'max_completion_tokens',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'seed',
  'stop',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'reasoning',
  'reasoning_effort',
  'include_reasoning',
  'prediction',
  'verbosity',
] as const satisfies readonly (keyof ChatCompletionRequest)[];
