import type { RequestNeeds } from '../calls/needs.ts';
import type { Narrowing } from '../calls/narrowing.ts';
import type { CatalogModel, Endpoint } from '../catalog/catalog.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Runtime } from '../runtime.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import { isSupported } from '../wire/chat/chat-parameters.ts';
import type { EndpointQuery } from './endpoint-filters.ts';
import { isNamed, type ServiceTier, tierOf } from '../catalog/endpoint-tier.ts';
import { type OrderQuery, orderEndpoints } from './order-endpoints.ts';
import type { RandomSource } from './random.ts';
import { partitionOf, sortOf, tiersOf } from './read-preferences.ts';
import { needsOf } from './request-needs.ts';
import { type ResolvedModel, resolveModels, type RoutingStrategy } from './resolve-models.ts';
import type { RouterName } from './router.ts';
import { type Exclusion, PREFERRED_PARAMETERS, type Selection, selectEndpoints } from './select-endpoints.ts';
import { stickyKeyOf } from './sticky-key.ts';

export interface RouteQuery {
  readonly request: ChatCompletionRequest;
  readonly principalId: string;
  readonly sessionId: string | null;
  /** The region whose host the request came to. */
  readonly region: string | null;
  /** Default: chat. */
  readonly operation?: 'chat' | 'video' | undefined;
  /** What guardrails and the like forbid. */
  readonly narrowings?: readonly Narrowing[] | undefined;
  /** Default: the runtime's. */
  readonly random?: RandomSource | undefined;
}

/** Where a request may go. */
export interface RoutePlan {
  /** The first slug, as it was sent. */
  readonly requested: string;
  readonly strategy: RoutingStrategy;
  readonly region: string | null;
  /** Ids of the models that were considered. */
  readonly models: readonly string[];
  /** In the order they are to be tried; empty when every endpoint is excluded. */
  readonly endpoints: readonly Endpoint[];
  readonly excluded: readonly Exclusion[];
}

/**
 * Plans the way of a chat request. Throws `invalid_request` for a model that is not known, and `not_found` when a router
 * finds no model; a plan without endpoints is the caller's to refuse, with `noEndpointLeft`.
 */
export function planRoute(query: RouteQuery, runtime: Runtime): RoutePlan {
  const { request, region } = query;
  const { catalog, account } = runtime;
  const needs = needsOf(request);
  const resolved = resolveModels(request, {
    catalog,
    defaultModel: account.defaultModel,
    askRouter: (router) => askRouter(router, query, needs, runtime),
  });
  const pools = resolved.models.map((model) => selectPool(model, query, needs, runtime));
  const merged = pools.length > 1 && partitionOf(request) === 'none' ? mergePools(pools) : pools;
  const excluded = flatten(pools, (pool) => pool.excluded);
  const ordered = flatten(merged, (pool) => orderPool(pool, query, runtime));
  return {
    ...withoutFallbacks(putBrokenLast(ordered, runtime), excluded, request),
    requested: resolved.requested,
    strategy: resolved.strategy,
    region,
    models: resolved.models.map(({ model }) => model.id),
  };
}

interface Pool extends Selection {
  readonly variants: readonly string[];
}

function selectPool(resolved: ResolvedModel, query: RouteQuery, needs: RequestNeeds, runtime: Runtime): Pool {
  const { request } = query;
  const { variants } = resolved;
  const selection = selectEndpoints(toEndpointQuery(resolved, query, needs, runtime));
  if (request.service_tier !== 'flex') return { ...selection, variants };
  // Who asks for flex would rather be refused than pay more, where there is such a tier at all.
  const [flex, others] = partition(selection.endpoints, (endpoint) => tierOf(endpoint) === 'flex');
  if (flex.length === 0) return { ...selection, variants };
  const left = others.map((endpoint) => ({ endpoint, rule: 'service_tier' }));
  return { variants, endpoints: flex, excluded: [...selection.excluded, ...left] };
}

function toEndpointQuery(
  resolved: ResolvedModel,
  { request, region, narrowings, operation }: RouteQuery,
  needs: RequestNeeds,
  { account, platform }: Runtime,
): EndpointQuery {
  const expires = resolved.model.definition.expiration_date != null;
  return {
    resolved,
    preferences: request.provider ?? {},
    account,
    needs,
    region,
    operation,
    narrowings,
    tiers: tiersOf(request, resolved.variants),
    today: expires ? new Date(platform.now()).toISOString().slice(0, 10) : undefined,
  };
}

/** One endpoint is in order, and what the order goes by need not be gathered. */
function orderPool({ endpoints, variants }: Pool, query: RouteQuery, runtime: Runtime): readonly Endpoint[] {
  return endpoints.length < 2
    ? endpoints
    : orderEndpoints(endpoints, toOrderQuery(query, variants, endpoints, runtime));
}

function toOrderQuery(
  query: RouteQuery,
  variants: readonly string[],
  endpoints: readonly Endpoint[],
  { health, random }: Runtime,
): OrderQuery {
  const { request } = query;
  const hasTier = (tier: ServiceTier): boolean => endpoints.some((endpoint) => tierOf(endpoint) === tier);
  const isPriority = (request.service_tier === 'priority' || request.service_tier === 'fast') && hasTier('priority');
  const isFlex = request.service_tier === 'flex' && hasTier('flex');
  return {
    preferences: request.provider ?? {},
    sort: sortOf(request, variants) ?? (isPriority ? 'throughput' : isFlex ? 'price' : null),
    firstTier: isPriority ? 'priority' : null,
    health,
    random: query.random ?? random,
    stickyKeyOf: (among) => stickyKeyOf(query, among),
  };
}

/** All endpoints as one pool; the first model's variants speak for it. */
function mergePools(pools: readonly Pool[]): readonly Pool[] {
  return [{ variants: pools[0]?.variants ?? [], endpoints: pools.flatMap(({ endpoints }) => endpoints), excluded: [] }];
}

/** Behind every other endpoint of every model come those that would most likely be asked in vain. */
function putBrokenLast(endpoints: readonly Endpoint[], { health }: Runtime): readonly Endpoint[] {
  if (endpoints.length < 2) return endpoints;
  const isBroken = (endpoint: Endpoint): boolean => {
    const standing = health.of(endpoint).standing();
    return standing === 'open' || standing === 'resting';
  };
  const [broken, sound] = partition(endpoints, isBroken);
  return broken.length === 0 ? endpoints : [...sound, ...broken];
}

/** Without fallbacks, only what `order` names is left, or else the first of all. */
function withoutFallbacks(
  endpoints: readonly Endpoint[],
  excluded: readonly Exclusion[],
  { provider }: ChatCompletionRequest,
): Pick<RoutePlan, 'endpoints' | 'excluded'> {
  if (provider?.allow_fallbacks !== false) return { endpoints, excluded };
  const { order } = provider;
  const [kept, others] = order?.length
    ? partition(endpoints, (endpoint) => order.some((slug) => isNamed(slug, endpoint)))
    : partition(endpoints, (endpoint) => endpoint === endpoints[0]);
  const cut = others.map((endpoint) => ({ endpoint, rule: 'allow_fallbacks' }));
  return { endpoints: kept, excluded: [...excluded, ...cut] };
}

function askRouter(
  name: RouterName,
  query: RouteQuery,
  needs: RequestNeeds,
  runtime: Runtime,
): readonly CatalogModel[] {
  const candidates = runtime.catalog.list().flatMap((model) => {
    const { endpoints } = selectEndpoints(toEndpointQuery({ model, variants: [] }, query, needs, runtime));
    const able = endpoints.filter((endpoint) =>
      PREFERRED_PARAMETERS.every((rule) => !needs.parameters.includes(rule) || isSupported(endpoint, rule) !== false),
    );
    const writesText = model.definition.architecture?.output_modalities?.includes('text') ?? true;
    return able.length > 0 && writesText ? [{ ...model, endpoints: able }] : [];
  });
  const random = query.random ?? runtime.random;
  const chosen = runtime.routers[name]({ request: query.request, needs, candidates, random });
  if (chosen.length > 0) return chosen;
  throw new GatewayError('not_found', 'No models match the request and its restrictions');
}

/** What each of the pools makes, in one list; nearly always there is one pool, whose list need not be copied. */
function flatten<Item>(pools: readonly Pool[], listOf: (pool: Pool) => readonly Item[]): readonly Item[] {
  const [only] = pools;
  return only !== undefined && pools.length === 1 ? listOf(only) : pools.flatMap(listOf);
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  const [first, second]: [Item[], Item[]] = [[], []];
  for (const item of items) (isFirst(item) ? first : second).push(item);
  return [first, second];
}
