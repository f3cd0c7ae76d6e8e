import { type Endpoint, priceOf, type ServiceTier, tierOf } from '../../catalog/catalog.ts';
import type { ProviderPreferences } from '../../wire/routing.ts';
import type { CircuitState } from '../health/circuit.ts';
import type { EndpointHealth } from '../health/endpoint-health.ts';
import type { HealthBoard } from '../health/health-board.ts';
import type { Percentiles } from '../health/rings.ts';
import type { RandomSource } from '../random.ts';
import { pickAtRandom, pickByKey } from './pick-weighted.ts';

export type SortKey = 'price' | 'throughput' | 'latency' | 'exacto';

export interface OrderQuery {
  readonly preferences: ProviderPreferences;
  /** Whether a name of `order` means an endpoint, itself or a provider behind it. */
  readonly means: (name: string, endpoint: Endpoint) => boolean;
  /** Null balances the load. `order` in the preferences overrides it. */
  readonly sort: SortKey | null;
  /** The tier whose endpoints come before the others. */
  readonly firstTier: ServiceTier | null;
  readonly health: HealthBoard;
  readonly random: RandomSource;
  /** Called only where load is balanced between several. */
  readonly stickyKeyOf: (among: readonly Endpoint[]) => string | null;
}

/**
 * Sorts endpoints in the order in which they are tried (wire.md 8.2): by `order` alone; else by `sort`, unhealthy ones
 * last; else one healthy endpoint is drawn, by price or sticky key, and the others follow by price.
 */
export function orderEndpoints(endpoints: readonly Endpoint[], query: OrderQuery): readonly Endpoint[] {
  const { order } = query.preferences;
  if (order?.length) return orderAsNamed(endpoints, order, query.means);
  const ranks = new Map(endpoints.map((endpoint) => [endpoint, rankOf(endpoint, query)]));
  const rank = (endpoint: Endpoint): number => ranks.get(endpoint) as number;
  const compare = query.sort === null ? byPrice : COMPARISONS[query.sort](query.health);
  const sorted = endpoints.toSorted((a, b) => rank(a) - rank(b) || compare(a, b));
  if (query.sort !== null) return sorted;
  const best = sorted.filter((endpoint) => rank(endpoint) === rank(sorted[0] as Endpoint));
  if (best.length < 2) return sorted;
  const key = query.stickyKeyOf(best);
  const first = key === null ? pickAtRandom(best, query.random) : pickByKey(best, key);
  return [first, ...sorted.filter((endpoint) => endpoint !== first)];
}

/**
 * Endpoints that the slugs name come first, in the order of the slugs; the rest by price. Providers with the caller's
 * own key come before both.
 */
function orderAsNamed(
  endpoints: readonly Endpoint[],
  order: readonly string[],
  means: OrderQuery['means'],
): readonly Endpoint[] {
  const sorted = endpoints.toSorted(byPrice);
  const named = order.flatMap((slug) => sorted.filter((endpoint) => means(slug, endpoint)));
  return [...new Set([...sorted.filter(({ provider }) => provider.byok === true), ...named, ...sorted])];
}

const RANK_OF_STATE: Readonly<Record<CircuitState, number>> = {
  steady: 0,
  'half-open': 0,
  unstable: 1,
  resting: 2,
  open: 3,
};

/** Lower is better, whatever the price: the caller's own providers, the requested tier, health, then speed. */
function rankOf(endpoint: Endpoint, query: OrderQuery): number {
  const health = query.health.of(endpoint);
  let rank = endpoint.provider.byok === true ? 0 : 1;
  rank = rank * 2 + (query.firstTier !== null && tierOf(endpoint) === query.firstTier ? 0 : 1);
  rank = rank * 4 + RANK_OF_STATE[health.circuitState()];
  return rank * 2 + (missesCutoff(health, query.preferences) ? 1 : 0);
}

/** Whether an endpoint is known to be slower than preferred, by any of the cutoffs given. */
function missesCutoff(health: EndpointHealth, preferences: ProviderPreferences): boolean {
  const { preferred_min_throughput: minThroughput, preferred_max_latency: maxLatencySeconds } = preferences;
  return (
    (minThroughput != null && isAnyBeyond(health.throughput(), minThroughput, (value, bound) => value < bound)) ||
    (maxLatencySeconds != null &&
      isAnyBeyond(health.latency(), maxLatencySeconds, (valueMs, bound) => valueMs > bound * 1000))
  );
}

function isAnyBeyond(
  measured: Percentiles | null,
  bounds: NonNullable<ProviderPreferences['preferred_max_latency']>,
  isBeyond: (value: number, bound: number) => boolean,
): boolean {
  if (measured === null) return false;
  if (typeof bounds === 'number') return isBeyond(measured.p50, bounds);
  return (['p50', 'p75', 'p90', 'p99'] as const).some(
    (name) => bounds[name] != null && isBeyond(measured[name], bounds[name]),
  );
}

type Comparison = (a: Endpoint, b: Endpoint) => number;

/** Equal prices, unknown ones among them, leave the catalog's order. */
const byPrice: Comparison = (a, b) => (priceOf(a) === priceOf(b) ? 0 : priceOf(a) - priceOf(b));

/** Endpoints without measurements come after those with them; among them, the cheaper one is first. */
const byMeasure =
  (measure: (health: EndpointHealth) => number | undefined) =>
  (board: HealthBoard): Comparison =>
  (a, b) => {
    const left = measure(board.of(a)) ?? Number.POSITIVE_INFINITY;
    const right = measure(board.of(b)) ?? Number.POSITIVE_INFINITY;
    return left === right ? byPrice(a, b) : left - right;
  };

const negative = (value: number | null | undefined): number | undefined => (value == null ? undefined : -value);
const byThroughput = byMeasure((health) => negative(health.throughput()?.p50));
const bySuccess = byMeasure((health) => negative(health.successRate()));

const COMPARISONS: Readonly<Record<SortKey, (board: HealthBoard) => Comparison>> = {
  price: () => byPrice,
  throughput: byThroughput,
  latency: byMeasure((health) => health.latency()?.p50),
  // The share of calls that succeed is the only available measure for the quality of tool calls.
  exacto: (board) => (a, b) => {
    const [left, right] = [board.of(a).successRate(), board.of(b).successRate()];
    return left === right ? byThroughput(board)(a, b) : bySuccess(board)(a, b);
  },
};
