import type { LiveAccount } from '../account/account.ts';
import { CALL_KINDS, type CallNeeds, type CallPreferences, type Narrowing } from '../calls/call-kind.ts';
import type { ModelCall, RuledCall } from '../calls/model-call.ts';
import {
  type Catalog,
  type CatalogModel,
  type Endpoint,
  isNamed,
  type ServiceTier,
  tierOf,
} from '../catalog/catalog.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { isSupported } from '../wire/chat-parameters.ts';
import type { OrderReason } from '../wire/routing.ts';
import { slugsOf, withAccountDefaults } from './account-defaults.ts';
import { nameProviders } from './endpoints/name-providers.ts';
import { mayKnow, withoutOnwardNames } from './endpoints/onward-preferences.ts';
import { orderEndpoints, type OrderQuery } from './endpoints/order-endpoints.ts';
import {
  type EndpointQuery,
  type Exclusion,
  PREFERRED_PARAMETERS,
  selectEndpoints,
  type Selection,
} from './endpoints/select-endpoints.ts';
import { stickyKeyOf } from './endpoints/sticky-key.ts';
import type { HealthBoard } from './health/health-board.ts';
import { refuseOtherKind } from './models/refuse-other-kind.ts';
import { type ResolvedModel, resolveModels, type RoutingStrategy } from './models/resolve-models.ts';
import type { RouterName, RouterStrategy } from './models/router.ts';
import type { RandomSource } from './random.ts';
import { sortOf, tiersOf } from './request-preferences.ts';

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
  readonly narrowings: readonly Narrowing[];
  /** Draws among endpoints. Default: the one of the parts. */
  readonly random?: RandomSource | undefined;
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
  /** Names in the request's lists of providers that nobody has, but for those that a gateway upstream gets. */
  readonly unknownProviders: readonly string[];
}

interface Planning {
  readonly call: ModelCall;
  readonly preferences: CallPreferences;
  readonly needs: CallNeeds;
  readonly options: PlanOptions;
  readonly parts: RoutingParts;
  /** Set when endpoints are put in order. */
  orderedBy: OrderReason | null;
}

/**
 * Plans where a call may go. Throws `invalid_request` for a model that is not known or not for this kind of call, and
 * `not_found` when a router finds no model; a plan without endpoints is the caller's to refuse, with `noEndpointLeft`.
 */
export function planCall(call: ModelCall, options: PlanOptions, parts: RoutingParts): CallPlan {
  const { kind, request } = call;
  const named = nameProviders(kind.preferencesOf(request), parts.catalog.providerNames);
  const { unknownProviders } = named;
  const { routingDefaults } = parts.account;
  const preferences =
    routingDefaults === undefined
      ? named.preferences
      : withAccountDefaults(named.preferences, slugsOf(call), routingDefaults);
  const needs = kind.needsOf(request);
  const planning: Planning = { call, preferences, needs, options, parts, orderedBy: null };
  const resolved = resolveModels(kind.modelsOf(request), {
    catalog: parts.catalog,
    defaultModel: parts.account.defaultModel,
    askRouter: (router) => askRouter(router, planning),
  });
  for (const { model } of resolved.models) refuseOtherKind(model, kind.name, needs.outputModalities);
  const pools = resolved.models.map((model) => selectPool(model, planning));
  const merged = pools.length > 1 && preferences.partition === 'none' ? mergePools(pools) : pools;
  const excluded = flatten(pools, (pool) => pool.excluded);
  const ordered = flatten(merged, (pool) => orderPool(pool, planning));
  const left = withoutFallbacks(putBrokenLast(ordered, parts.health), excluded, planning);
  return {
    ...left,
    requested: resolved.requested,
    strategy: resolved.strategy,
    ruled: call.ruled,
    region: call.region?.name ?? null,
    models: resolved.models.map(({ model }) => model.id),
    orderedBy: planning.orderedBy,
    unknownProviders: withoutOnwardNames(unknownProviders, left.endpoints, { kind: kind.name, catalog: parts.catalog }),
  };
}

/** The endpoints of one model that are left. */
interface Pool extends Selection {
  readonly variants: readonly string[];
}

function selectPool(resolved: ResolvedModel, planning: Planning): Pool {
  const { variants } = resolved;
  const selection = selectEndpoints(toEndpointQuery(resolved, planning));
  if (planning.preferences.serviceTier !== 'flex') return { ...selection, variants };
  // A caller who requests flex prefers a refusal to a higher price, where such a tier exists.
  const [flex, others] = partition(selection.endpoints, (endpoint) => tierOf(endpoint) === 'flex');
  if (flex.length === 0) return { ...selection, variants };
  const left = others.map((endpoint) => ({ endpoint, rule: 'service_tier' }));
  return { variants, endpoints: flex, excluded: [...selection.excluded, ...left] };
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
    narrowings: options.narrowings,
    tiers: tiersOf(preferences, resolved.variants),
    today: expires ? new Date(platform.now()).toISOString().slice(0, 10) : undefined,
  };
}

/** One endpoint needs no order, so the inputs for it are not gathered. */
function orderPool(pool: Pool, planning: Planning): readonly Endpoint[] {
  if (pool.endpoints.length < 2) return pool.endpoints;
  const query = toOrderQuery(pool, planning);
  // Of several models the first decides: the others are fallbacks.
  planning.orderedBy ??= query.preferences.order?.length ? 'order' : query.sort;
  const ordered = orderEndpoints(pool.endpoints, query);
  planning.orderedBy ??= 'balanced';
  return ordered;
}

function toOrderQuery({ endpoints, variants }: Pool, planning: Planning): OrderQuery {
  const { call, preferences, options, parts } = planning;
  const { serviceTier } = preferences;
  const hasTier = (tier: ServiceTier): boolean => endpoints.some((endpoint) => tierOf(endpoint) === tier);
  const isPriority = (serviceTier === 'priority' || serviceTier === 'fast') && hasTier('priority');
  const isFlex = serviceTier === 'flex' && hasTier('flex');
  return {
    preferences: preferences.provider,
    means: (name, endpoint) => meansEndpoint(name, endpoint, call, parts),
    sort: sortOf(preferences, variants) ?? (isPriority ? 'throughput' : isFlex ? 'price' : null),
    firstTier: isPriority ? 'priority' : null,
    health: parts.health,
    random: options.random ?? parts.random,
    stickyKeyOf(among) {
      const key = stickyKeyOf(call, preferences, among);
      if (key !== null) planning.orderedBy ??= 'session';
      return key;
    },
  };
}

/** Returns all endpoints as one pool, with the variants of the first model. */
function mergePools(pools: readonly Pool[]): readonly Pool[] {
  return [{ variants: pools[0]?.variants ?? [], endpoints: pools.flatMap(({ endpoints }) => endpoints), excluded: [] }];
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
function withoutFallbacks(
  endpoints: readonly Endpoint[],
  excluded: readonly Exclusion[],
  { call, preferences: { provider }, parts }: Planning,
): Pick<CallPlan, 'endpoints' | 'excluded'> {
  if (provider.allow_fallbacks !== false) return { endpoints, excluded };
  const { order } = provider;
  const [left, others] = order?.length
    ? partition(endpoints, (endpoint) => order.some((name) => meansEndpoint(name, endpoint, call, parts)))
    : partition(endpoints, (endpoint) => endpoint === endpoints[0]);
  const cut = others.map((endpoint) => ({ endpoint, rule: 'allow_fallbacks' }));
  return { endpoints: left, excluded: [...excluded, ...cut] };
}

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

/** Joins the results of each pool in one list; usually there is one pool, whose list need not be copied. */
function flatten<Item>(pools: readonly Pool[], listOf: (pool: Pool) => readonly Item[]): readonly Item[] {
  const [only] = pools;
  return only !== undefined && pools.length === 1 ? listOf(only) : pools.flatMap(listOf);
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  const [first, second]: [Item[], Item[]] = [[], []];
  for (const item of items) (isFirst(item) ? first : second).push(item);
  return [first, second];
}
