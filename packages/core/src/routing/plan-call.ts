import type { LiveAccount } from '../account/account.ts';
import { CALL_KINDS, type CallNeeds, type CallPreferences, type EndpointConstraint } from '../calls/call-kind.ts';
import type { ModelCall, RuledCall } from '../calls/model-call.ts';
import {
  type Catalog,
  type CatalogModel,
  type Endpoint,
  isNamed,
  type ServiceTier,
  tierOf,
} from '../catalog/catalog.ts';
import { type OwnKey, withOwnKeys } from '../catalog/own-keys.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { isSupported } from '../wire/chat-parameters.ts';
import type { OrderReason } from '../wire/routing.ts';
import type { HealthBoard } from './health/endpoint-health.ts';
import { orderEndpoints, type RandomSource, type SortKey, stickyKeyOf } from './order-endpoints.ts';
import { mayKnow, nameProviders, slugsOf, withAccountDefaults, withoutOnwardNames } from './preferences.ts';
import { refuseOtherKind, type ResolvedModel, resolveModels, type RoutingStrategy } from './resolve-models.ts';
import type { RouterName, RouterStrategy } from './routers.ts';
import {
  type EndpointQuery,
  type Exclusion,
  PREFERRED_PARAMETERS,
  selectEndpoints,
  type Selection,
} from './select-endpoints.ts';

export interface RoutingParts {
  readonly catalog: Catalog;
  readonly account: LiveAccount;
  readonly platform: Pick<Platform, 'now'>;
  readonly health: HealthBoard;
  readonly random: RandomSource;
  readonly routers: Readonly<Record<RouterName, RouterStrategy>>;
}

export interface PlanOptions {
  /** Restrictions, for example by guardrails. */
  readonly constraints: readonly EndpointConstraint[];
  /** Draws among endpoints. Default: the one of the parts. */
  readonly random?: RandomSource | undefined;
  /** The caller's own keys of providers; undefined for none. */
  readonly ownKeys?: readonly OwnKey[] | undefined;
}

/** The endpoints that a call may use. */
export interface CallPlan {
  /** The first slug, as it was sent. */
  readonly requested: string;
  readonly strategy: RoutingStrategy;
  /** The rule that has chosen the models; absent without any. */
  readonly ruled?: RuledCall | undefined;
  readonly region: string | null;
  /** Ids of the models that were considered. */
  readonly models: readonly string[];
  /** In the order in which they are tried; empty when every endpoint is excluded. */
  readonly endpoints: readonly Endpoint[];
  /** What decided their order; null where there was nothing to put in order. */
  readonly orderedBy: OrderReason | null;
  readonly excluded: readonly Exclusion[];
  /** Names in the request's lists of providers that no provider has, except those that a gateway upstream gets. */
  readonly unknownProviders: readonly string[];
}

/** One call while it is planned. */
interface Planning {
  readonly call: ModelCall;
  readonly preferences: CallPreferences;
  readonly needs: CallNeeds;
  readonly options: PlanOptions;
  readonly parts: RoutingParts;
}

/**
 * Plans where a call may go: resolves its models, selects the endpoints of each, puts them in order, and cuts the
 * fallbacks off where it wants none. Throws `invalid_request` for a model that is not known or not for this kind of call,
 * and `not_found` when a router finds no model; a plan without endpoints is the caller's to refuse, with
 * `noEndpointLeft`.
 */
export function planCall(call: ModelCall, options: PlanOptions, parts: RoutingParts): CallPlan {
  const { kind, request } = call;
  const { catalog, account, health } = parts;
  const { preferences, unknownProviders } = preferencesOf(call, parts);
  const needs = kind.needsOf(request);
  const planning: Planning = { call, preferences, needs, options, parts };

  const { requested, strategy, models } = resolveModels(kind.modelsOf(request), {
    catalog,
    defaultModel: account.defaultModel,
    askRouter: (router) => askRouter(router, planning),
  });
  for (const { model } of models) refuseOtherKind(model, kind.name, needs.outputModalities);

  let endpoints: readonly Endpoint[] = [];
  let excluded: readonly Exclusion[] = [];
  let orderedBy: OrderReason | null = null;
  const joinOwn = (among: readonly Endpoint[], keys: readonly OwnKey[]): readonly Endpoint[] => {
    const joined = withOwnKeys(among, keys, (name, id) => name === id || catalog.find(name)?.id === id);
    excluded = append(excluded, joined.excluded);
    return joined.endpoints;
  };
  const areTogether = models.length > 1 && preferences.partition === 'none';
  for (const resolved of models) {
    const selection = select(resolved, planning);
    excluded = append(excluded, selection.excluded);
    let own = selection.endpoints;
    // One endpoint needs no order, so what decides it is not gathered.
    if (!areTogether && own.length > 1) {
      const ordered = order(own, resolved.variants, planning);
      own = ordered.endpoints;
      // The first of several models decides: the others are fallbacks.
      orderedBy ??= ordered.by;
    }
    if (!areTogether && options.ownKeys !== undefined) own = joinOwn(own, options.ownKeys);
    endpoints = append(endpoints, own);
  }
  if (areTogether && endpoints.length > 1) {
    ({ endpoints, by: orderedBy } = order(endpoints, models[0]?.variants ?? [], planning));
  }
  if (areTogether && options.ownKeys !== undefined) endpoints = joinOwn(endpoints, options.ownKeys);
  const left = cut(putBrokenLast(endpoints, health), planning);

  return {
    requested,
    strategy,
    ruled: call.ruled,
    region: call.region?.name ?? null,
    models: models.map(({ model }) => model.id),
    endpoints: left.endpoints,
    orderedBy,
    excluded: append(excluded, left.excluded),
    unknownProviders:
      unknownProviders.length === 0
        ? NONE
        : withoutOnwardNames(unknownProviders, left.endpoints, { kind: kind.name, catalog }),
  };
}

/** The preferences of a request by the names of this gateway, with the defaults of the account. */
function preferencesOf(call: ModelCall, { account, catalog }: RoutingParts): ReturnType<typeof nameProviders> {
  const preferences = call.kind.preferencesOf(call.request);
  const { order: first, only, ignore } = preferences.provider;
  const named =
    first?.length || only?.length || ignore?.length
      ? nameProviders(preferences, catalog.providerNames)
      : { preferences, unknownProviders: NONE };
  const { routingDefaults } = account;
  if (routingDefaults === undefined) return named;
  return { ...named, preferences: withAccountDefaults(named.preferences, slugsOf(call), routingDefaults) };
}

/** The endpoints of one model that may serve a call. */
function select(resolved: ResolvedModel, planning: Planning): Selection {
  const selection = selectEndpoints(toEndpointQuery(resolved, planning));
  if (planning.preferences.serviceTier !== 'flex') return selection;
  // A caller who requests flex prefers a refusal to a higher price, where such a tier exists.
  const [flex, others] = partition(selection.endpoints, (endpoint) => tierOf(endpoint) === 'flex');
  if (flex.length === 0) return selection;
  const left = others.map((endpoint) => ({ endpoint, rule: 'service_tier' }));
  return { endpoints: flex, excluded: [...selection.excluded, ...left] };
}

function toEndpointQuery(
  resolved: ResolvedModel,
  { call, preferences, needs, options, parts: { account, catalog, platform } }: Planning,
): EndpointQuery {
  const expires = resolved.model.definition.expiration_date != null;
  return {
    resolved,
    preferences: preferences.provider,
    account,
    needs,
    kind: call.kind.name,
    catalog,
    region: call.region,
    constraints: options.constraints,
    tiers: tiersOf(preferences, resolved.variants),
    today: expires ? new Date(platform.now()).toISOString().slice(0, 10) : undefined,
    now: preferences.provider.max_price ? platform.now() : undefined,
  };
}

interface Ordered {
  readonly endpoints: readonly Endpoint[];
  /** What decided the order. */
  readonly by: OrderReason;
}

/** Puts several endpoints in the order in which they are tried; `variants` are those of the model that was asked for. */
function order(endpoints: readonly Endpoint[], variants: readonly string[], planning: Planning): Ordered {
  const { call, preferences, options, parts } = planning;
  const { provider, serviceTier } = preferences;
  const hasTier = (tier: ServiceTier): boolean => endpoints.some((endpoint) => tierOf(endpoint) === tier);
  const isPriority = (serviceTier === 'priority' || serviceTier === 'fast') && hasTier('priority');
  const isFlex = serviceTier === 'flex' && hasTier('flex');
  const sort = sortOf(preferences, variants) ?? (isPriority ? 'throughput' : isFlex ? 'price' : null);
  let key = null as string | null;
  const ordered = orderEndpoints(endpoints, {
    preferences: provider,
    means: (name, endpoint) => meansEndpoint(name, endpoint, call, parts),
    sort,
    firstTier: isPriority ? 'priority' : null,
    health: parts.health,
    random: options.random ?? parts.random,
    stickyKeyOf: (among) => (key = stickyKeyOf(call, preferences, among)),
  });
  const balancedBy = key === null ? 'balanced' : 'session';
  return { endpoints: ordered, by: provider.order?.length ? 'order' : (sort ?? balancedBy) };
}

/** Moves endpoints whose calls would probably fail behind the other endpoints of every model. */
function putBrokenLast(endpoints: readonly Endpoint[], health: HealthBoard): readonly Endpoint[] {
  if (endpoints.length < 2) return endpoints;
  const isBroken = (endpoint: Endpoint): boolean => {
    const circuitState = health.of(endpoint).circuitState();
    return circuitState === 'open' || circuitState === 'resting';
  };
  const [broken, sound] = partition(endpoints, isBroken);
  return broken.length === 0 ? endpoints : [...sound, ...broken];
}

/** Without fallbacks, only endpoints in `order` remain, or else the first of all. */
function cut(endpoints: readonly Endpoint[], { call, preferences: { provider }, parts }: Planning): Selection {
  if (provider.allow_fallbacks !== false) return { endpoints, excluded: NONE };
  const { order: named } = provider;
  const [left, others] = named?.length
    ? partition(endpoints, (endpoint) => named.some((name) => meansEndpoint(name, endpoint, call, parts)))
    : partition(endpoints, (endpoint) => endpoint === endpoints[0]);
  return { endpoints: left, excluded: others.map((endpoint) => ({ endpoint, rule: 'allow_fallbacks' })) };
}

const NONE: readonly never[] = [];

/** Whether a name in `order` means an endpoint, or a provider that the gateway behind it may know. */
const meansEndpoint = (name: string, endpoint: Endpoint, { kind }: ModelCall, { catalog }: RoutingParts): boolean =>
  isNamed(name, endpoint) || mayKnow([name], endpoint, { kind: kind.name, catalog });

function askRouter(name: RouterName, planning: Planning): readonly CatalogModel[] {
  const { call, needs, options, parts } = planning;
  const { kind, request } = call;
  const input = kind.routerInputOf?.(request);
  if (input === undefined) throw noModel();
  const candidates = parts.catalog.list().flatMap((model) => {
    const { endpoints } = selectEndpoints(toEndpointQuery({ model, variants: [] }, planning));
    const able = endpoints.filter((endpoint) =>
      PREFERRED_PARAMETERS.every((rule) => !needs.parameters.includes(rule) || isSupported(endpoint, rule) !== false),
    );
    const isOfKind = model.definition.architecture?.output_modalities?.includes(CALL_KINDS[kind.name].output) ?? true;
    return able.length > 0 && isOfKind ? [{ ...model, endpoints: able }] : [];
  });
  const random = options.random ?? parts.random;
  const chosen = parts.routers[name]({ ...input, request, needs, candidates, random });
  if (chosen.length === 0) throw noModel();
  return chosen;
}

const noModel = (): GatewayError => new GatewayError('not_found', 'No models match the request and its restrictions');

/** Usually one of the lists is empty, and the other need not be copied. */
function append<Item>(items: readonly Item[], more: readonly Item[]): readonly Item[] {
  if (items.length === 0) return more;
  return more.length === 0 ? items : [...items, ...more];
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  const [first, second]: [Item[], Item[]] = [[], []];
  for (const item of items) (isFirst(item) ? first : second).push(item);
  return [first, second];
}

/** Tiers by `service_tier`; without one, `:nitro` and `:floor` admit a tier each, unless `order` has the word. */
export function tiersOf(
  { serviceTier: tier, provider }: CallPreferences,
  variants: readonly string[],
): Set<ServiceTier> {
  const tiers = new Set<ServiceTier>();
  if (tier === 'priority' || tier === 'fast') tiers.add('priority');
  else if (tier === 'flex') tiers.add('flex');
  else if (tier !== 'default' && !provider.order?.length) {
    if (variants.includes('nitro')) tiers.add('priority');
    if (variants.includes('floor')) tiers.add('flex');
  }
  return tiers;
}

/** The sort order of a request, explicit or by a variant; null without either. */
export function sortOf({ provider }: CallPreferences, variants: readonly string[]): SortKey | null {
  const { sort } = provider;
  return (typeof sort === 'string' ? sort : sort?.by) ?? sortOfVariants(variants);
}

const SORT_OF_VARIANT: ReadonlyMap<string, SortKey> = new Map([
  ['nitro', 'throughput'],
  ['floor', 'price'],
  ['exacto', 'exacto'],
]);

/** When several variants sort, the last one in the slug takes precedence. */
function sortOfVariants(variants: readonly string[]): SortKey | null {
  const last = variants.findLast((variant) => SORT_OF_VARIANT.has(variant));
  return last === undefined ? null : (SORT_OF_VARIANT.get(last) ?? null);
}

/**
 * The error for a plan without endpoints. Names the rule for each, and where the caller or the operator can do something
 * about it, what.
 */
export function noEndpointLeft({ models, excluded, unknownProviders }: CallPlan): GatewayError {
  const named = excluded.map(({ endpoint, rule }) => ({ provider: endpoint.tag, model: endpoint.modelId, rule }));
  if (named.length > 0 && named.every(({ rule }) => rule === 'context_length')) {
    const message =
      'The prompt and max_tokens together are longer than any endpoint takes; ' +
      'shorten one of them, or enable the plugin "context-compression"';
    return new GatewayError('context_length_exceeded', message, { metadata: { excluded: named } });
  }
  // This rule is about the call, so the endpoints that another rule excludes are excluded by it as well.
  if (named.some(({ rule }) => rule === 'allowed_data_regions')) {
    const message = 'A guardrail does not allow calls to this host (allowed_data_regions)';
    return new GatewayError('permission_denied', message, { metadata: { excluded: named } });
  }
  const least = leastOutputTokens(excluded);
  if (least !== null) {
    const message = `max_tokens: must be at least ${least} here; no remaining endpoint accepts less`;
    return new GatewayError('invalid_request', message, {
      metadata: { excluded: named, issues: [{ path: 'max_tokens', message: `must be at least ${least}` }] },
    });
  }
  const reasons = named.map(({ provider, rule }) => `${provider} (${rule})`).join(', ') || 'none';
  const message = `No endpoint of ${models.join(', ')} meets the request's requirements; excluded: ${reasons}`;
  return new GatewayError('not_found', `${message}${adviceOnCost(excluded)}${adviceOnNames(unknownProviders)}`, {
    metadata: { excluded: named, ...(unknownProviders.length > 0 && { unknown_providers: unknownProviders }) },
  });
}

function adviceOnNames(unknownProviders: readonly string[]): string {
  if (unknownProviders.length === 0) return '';
  return `. provider names unknown providers: ${unknownProviders.slice(0, 3).join(', ').slice(0, 200)}`;
}

/** The lowest `max_tokens` with which an endpoint would have served; null when it is not for that. */
function leastOutputTokens(excluded: readonly Exclusion[]): number | null {
  const minimums = excluded.flatMap(({ endpoint, rule }) =>
    rule === 'minOutputTokens' ? [endpoint.minOutputTokens ?? 0] : [],
  );
  return minimums.length === 0 ? null : Math.min(...minimums);
}

/** Within a spending limit, endpoints without an upper bound of the cost are not called; names what would bound it. */
function adviceOnCost(excluded: readonly Exclusion[]): string {
  const unbounded = excluded.filter(({ rule }) => rule === 'cost_unknown').map(({ endpoint }) => endpoint);
  if (unbounded.length === 0) return '';
  const isPriced = unbounded.some(({ prices }) => prices.prompt !== undefined && prices.completion !== undefined);
  const remedy = isPriced
    ? 'send max_tokens, or have a context_length configured for the model; for speech also pricing.audio_output'
    : 'have its prices configured (pricing.prompt and pricing.completion of the endpoint)';
  return `. A spending limit applies, and the maximum cost of this request is not known: ${remedy}`;
}
