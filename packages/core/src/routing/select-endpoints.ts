import type { AccountOptions } from '../account/account.ts';
import {
  CALL_KINDS,
  type CallKindName,
  type CallNeeds,
  type CallRegion,
  isCompressed,
  type EndpointConstraint,
} from '../calls/call-kind.ts';
import {
  type Catalog,
  type Endpoint,
  exceedsMaxPrice,
  isListed,
  type ServiceTier,
  tierOf,
} from '../catalog/catalog.ts';
import { isSupported } from '../wire/chat-parameters.ts';
import type { ProviderPreferences } from '../wire/routing.ts';
import { mayKnow } from './preferences.ts';
import type { ResolvedModel } from './resolve-models.ts';

/** Why an endpoint may not serve a request. */
export interface Exclusion {
  readonly endpoint: Endpoint;
  /** The preference, setting or need that decided, by its field name. */
  readonly rule: string;
  /** The guardrail whose rule it is, where it is one's. */
  readonly guardrailId?: string | undefined;
}

export interface Selection {
  /** In the order of the catalog. */
  readonly endpoints: readonly Endpoint[];
  readonly excluded: readonly Exclusion[];
}

/** Returns which endpoints of a model may serve a request, and why the others may not. Never throws. */
export function selectEndpoints(query: EndpointQuery): Selection {
  const endpoints: Endpoint[] = [];
  const excluded: Exclusion[] = [];
  for (const endpoint of query.resolved.model.endpoints) {
    const exclusion = findExclusion(endpoint, query);
    if (exclusion === null) endpoints.push(endpoint);
    else excluded.push(exclusion);
  }
  if (endpoints.length < 2) return { endpoints, excluded };
  const roomy = preferRoomy(endpoints, excluded, query);
  return preferAble(roomy.endpoints, roomy.excluded, query);
}

function findExclusion(endpoint: Endpoint, query: EndpointQuery): Exclusion | null {
  for (const { rule, excludes } of ENDPOINT_FILTERS) if (excludes(endpoint, query)) return { endpoint, rule };
  for (const { rule, guardrailId, excludes } of query.constraints ?? []) {
    if (excludes(endpoint, query.region ?? null)) return { endpoint, rule, guardrailId };
  }
  return null;
}

/**
 * A prompt to be shortened goes to endpoints with room for at least half of it, else to the one with the largest
 * context (wire.md 9.2). Nothing is cut that another endpoint would accept whole, unless the caller requested it.
 */
function preferRoomy(
  endpoints: readonly Endpoint[],
  excluded: readonly Exclusion[],
  { needs }: EndpointQuery,
): Selection {
  if (needs === undefined || needs.compression === 'never') return { endpoints, excluded };
  const needed = needs.minPromptTokens + needs.outputTokens;
  const roomOf = ({ contextLength }: Endpoint): number => contextLength ?? Number.POSITIVE_INFINITY;
  if (endpoints.every((endpoint) => roomOf(endpoint) >= needed)) return { endpoints, excluded };
  const most = Math.max(...endpoints.map(roomOf));
  const least = needs.compression === 'small' && most >= needed ? needed : Math.min(needed / 2, most);
  const cramped = endpoints.filter((endpoint) => roomOf(endpoint) < least);
  return {
    endpoints: endpoints.filter((endpoint) => roomOf(endpoint) >= least),
    excluded: [...excluded, ...cramped.map((endpoint) => ({ endpoint, rule: 'context_length' }))],
  };
}

/** Parameters worth choosing an endpoint for even where they are not required (wire.md 8.2). */
export const PREFERRED_PARAMETERS = ['tools', 'response_format', 'verbosity'] as const;

/**
 * Where some endpoints support a parameter, the others are excluded; where none does, all remain, and the parameter is
 * dropped.
 */
function preferAble(endpoints: readonly Endpoint[], excluded: readonly Exclusion[], query: EndpointQuery): Selection {
  let able = endpoints;
  const unable: Exclusion[] = [];
  for (const rule of PREFERRED_PARAMETERS) {
    if (!query.needs?.parameters.includes(rule)) continue;
    const supporting = able.filter((endpoint) => isSupported(endpoint, rule) !== false);
    if (supporting.length === 0 || supporting.length === able.length) continue;
    for (const endpoint of able) if (!supporting.includes(endpoint)) unable.push({ endpoint, rule });
    able = supporting;
  }
  return { endpoints: able, excluded: unable.length === 0 ? excluded : [...excluded, ...unable] };
}

export interface EndpointQuery {
  readonly resolved: ResolvedModel;
  readonly preferences: ProviderPreferences;
  readonly account: AccountOptions;
  readonly needs?: CallNeeds | undefined;
  readonly kind: CallKindName;
  /** Tells names of providers here from those of providers behind a gateway; without it all names are of here. */
  readonly catalog?: Pick<Catalog, 'providerNames'> | undefined;
  /** Set for a request under a regional host: no other region will do. */
  readonly region?: CallRegion | null | undefined;
  /** Tiers that the request admits; endpoints of the others are only used where they are named. */
  readonly tiers?: ReadonlySet<ServiceTier> | undefined;
  /** Further restrictions, for example by guardrails. */
  readonly constraints?: readonly EndpointConstraint[] | undefined;
  /** `2026-01-31`; without it no model is too old. */
  readonly today?: string | undefined;
  /** Unix milliseconds, by which prices that change with the hour are told. Set where there is a `max_price`. */
  readonly now?: number | undefined;
}

interface EndpointFilter {
  /** The field that decides. */
  readonly rule: string;
  readonly excludes: (endpoint: Endpoint, query: EndpointQuery) => boolean;
}

/** Narrower precisions are covered by their family's name (wire.md 8.1). */
const QUANTIZATION_FAMILIES: Readonly<Record<string, readonly string[]>> = {
  fp4: ['fp4', 'mxfp4', 'nvfp4'],
  fp8: ['fp8', 'mxfp8'],
};

/** A provider serves a kind of call when it has the member of that name. */
const KIND_FILTERS: readonly EndpointFilter[] = (Object.keys(CALL_KINDS) as CallKindName[]).map((name) => ({
  rule: name,
  excludes: ({ provider }, { kind }) => kind === name && provider[name] === undefined,
}));

/**
 * The gateway's own rules. Each tests one endpoint alone: their order only decides which rule is named where several
 * exclude. Use of data and cost must be known to pass; unknown limits and abilities are assumed to suffice.
 */
export const ENDPOINT_FILTERS: readonly EndpointFilter[] = [
  ...KIND_FILTERS,
  {
    rule: 'expiration_date',
    excludes: (_, { resolved, today }) => {
      const { expiration_date: expiresOn } = resolved.model.definition;
      return today !== undefined && typeof expiresOn === 'string' && expiresOn.slice(0, 10) <= today;
    },
  },
  { rule: 'region', excludes: (endpoint, { region }) => region != null && endpoint.region !== region.name },
  {
    rule: 'only',
    excludes(endpoint, query) {
      const { only } = query.preferences;
      return !!only?.length && !isListed(only, endpoint) && !mayKnow(only, endpoint, query);
    },
  },
  { rule: 'ignore', excludes: (endpoint, { preferences: { ignore } }) => !!ignore && isListed(ignore, endpoint) },
  {
    rule: 'account.providers.only',
    excludes: (endpoint, { account }) =>
      !!account.providers?.only?.length && !isListed(account.providers.only, endpoint),
  },
  {
    rule: 'account.providers.ignore',
    excludes: (endpoint, { account }) => !!account.providers?.ignore && isListed(account.providers.ignore, endpoint),
  },
  {
    rule: 'zdr',
    excludes: (endpoint, { preferences, kind }) => preferences.zdr === true && mayRetain(endpoint, kind),
  },
  {
    rule: 'account.privacy.zdr',
    excludes: (endpoint, { account, kind }) => account.privacy?.zdr === true && mayRetain(endpoint, kind),
  },
  {
    rule: 'data_collection',
    excludes: ({ provider }, { preferences }) =>
      preferences.data_collection === 'deny' && provider.dataPolicy.training !== false,
  },
  {
    rule: 'account.privacy.allowTraining',
    excludes: ({ provider }, { account }) =>
      account.privacy?.allowTraining === false && provider.dataPolicy.training !== false,
  },
  {
    rule: 'enforce_distillable_text',
    excludes: (_, { preferences, resolved }) =>
      preferences.enforce_distillable_text === true && resolved.model.definition.distillable !== true,
  },
  { rule: 'service_tier', excludes: isTierUnasked },
  {
    rule: 'quantizations',
    excludes: ({ quantization }, { preferences: { quantizations } }) =>
      !!quantizations?.length &&
      !quantizations.flatMap((name) => QUANTIZATION_FAMILIES[name] ?? [name]).includes(quantization ?? 'unknown'),
  },
  {
    rule: 'require_parameters',
    excludes: (endpoint, { preferences, needs }) =>
      preferences.require_parameters === true &&
      !needs?.parameters.every((name) => isSupported(endpoint, name) === true),
  },
  {
    rule: 'max_price',
    excludes: (endpoint, { preferences, needs, now = 0 }) =>
      !!preferences.max_price &&
      exceedsMaxPrice(endpoint, preferences.max_price, { promptTokens: needs?.minPromptTokens ?? 0, at: now }),
  },
  { rule: 'input_modalities', excludes: (_, query) => isKindMissing(query, 'input') },
  { rule: 'modalities', excludes: (_, query) => isKindMissing(query, 'output') },
  {
    rule: 'context_length',
    excludes: ({ contextLength, maxPromptTokens }, { needs }) => {
      if (needs === undefined) return false;
      // A prompt that is shortened to fit requires only some room beside the completion.
      if (isCompressed(contextLength, needs.compression)) return needs.outputTokens >= contextLength;
      return (
        needs.minPromptTokens + needs.outputTokens > (contextLength ?? Number.POSITIVE_INFINITY) ||
        needs.minPromptTokens > (maxPromptTokens ?? Number.POSITIVE_INFINITY)
      );
    },
  },
  {
    rule: 'max_tokens',
    excludes: ({ maxCompletionTokens }, { needs }) =>
      needs !== undefined && maxCompletionTokens !== null && needs.outputTokens > maxCompletionTokens,
  },
  // The last rule, so that an endpoint excluded by it would serve the request if only the tier were requested.
  {
    rule: 'minOutputTokens',
    excludes: ({ minOutputTokens }, { needs }) =>
      minOutputTokens !== null && !!needs?.outputTokens && needs.outputTokens < minOutputTokens,
  },
];

function mayRetain({ provider }: Endpoint, kind: CallKindName): boolean {
  return provider.dataPolicy.retainsPrompts !== false || CALL_KINDS[kind].retainsData;
}

/** Tier endpoints are used only on request: by `service_tier`, a variant, or their full slug in `only` or `order`. */
function isTierUnasked(endpoint: Endpoint, { tiers, preferences: { only, order } }: EndpointQuery): boolean {
  const tier = tierOf(endpoint);
  if (tier === null || tiers?.has(tier)) return false;
  return !only?.includes(endpoint.tag) && !order?.includes(endpoint.tag);
}

/** A model without declared kinds of input or output is assumed to support them. */
function isKindMissing({ resolved, needs }: EndpointQuery, side: 'input' | 'output'): boolean {
  const needed = side === 'input' ? needs?.inputModalities : needs?.outputModalities;
  if (needed === undefined || needed.length === 0) return false;
  const known = resolved.model.definition.architecture?.[`${side}_modalities`];
  return known !== undefined && !needed.every((kind) => known.includes(kind));
}
