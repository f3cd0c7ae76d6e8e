import type { CallPreferences } from '../calls/call-kind.ts';
import type { ModelCall } from '../calls/model-call.ts';
import { type Endpoint, hasCheaperCachedReads, priceOf, type ServiceTier, tierOf } from '../catalog/catalog.ts';
import type { Platform } from '../foundation/platform.ts';
import type { ProviderPreferences } from '../wire/routing.ts';
import type { CircuitState, Percentiles } from './health/circuit.ts';
import { type EndpointHealth, type HealthBoard, healthIdOf } from './health/endpoint-health.ts';

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

/** Numbers from 0 up to but not including 1, evenly distributed. */
export type RandomSource = () => number;

/**
 * Creates a source seeded once from the platform, at the first draw: a draw costs a few operations, where a call to the platform would
 * cost a copy of its bytes. For spreading load only; ids and secrets come from the platform itself.
 */
export function createRandomSource(platform: Pick<Platform, 'randomBytes'>): RandomSource {
  let seeded: number | undefined;
  // Mulberry32, in the public domain.
  return () => {
    const state = ((seeded ?? createSeed(platform)) + 0x6d2b79f5) >>> 0;
    seeded = state;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function createSeed(platform: Pick<Platform, 'randomBytes'>): number {
  return new DataView(Uint8Array.from(platform.randomBytes(4)).buffer).getUint32(0);
}

/**
 * Each endpoint's share of the load, in the given order: one over its squared price (wire.md 8.2). Free endpoints take
 * everything; those of unknown price get a share only where no price is known. The sum is 1.
 */
export function sharesOf(endpoints: readonly Endpoint[]): readonly number[] {
  const cheapest = Math.min(...endpoints.map(priceOf));
  // Relative to the cheapest, so that no price is too small to be squared. Equal ones, infinite or zero, weigh the same.
  const weights = endpoints.map((endpoint) => {
    const price = priceOf(endpoint);
    return price === cheapest ? 1 : (cheapest / price) ** 2;
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Draws one of at least one endpoints, each with the probability of its share (docs/decisions/0010). */
export function pickAtRandom(endpoints: readonly Endpoint[], random: RandomSource): Endpoint {
  const shares = sharesOf(endpoints);
  let left = random();
  const index = shares.findIndex((share) => (left -= share) < 0);
  // Sums of fractions can fall short of 1 by a hair.
  return endpoints[index === -1 ? shares.indexOf(Math.max(...shares)) : index] as Endpoint;
}

/**
 * Picks the same endpoint for the same key, and over many keys each in proportion to its share. When an endpoint is
 * removed only its own keys move, so no state has to be stored or shared.
 */
export function pickByKey(endpoints: readonly Endpoint[], key: string): Endpoint {
  const shares = sharesOf(endpoints);
  return pickWeighted(endpoints, (endpoint, index) => ({
    share: shares[index] as number,
    unit: hashToUnit(`${key}\n${healthIdOf(endpoint)}`),
  }));
}

/**
 * Picks one of at least one items in proportion to its share, by a number above 0 and below 1 for each (weighted
 * rendezvous hashing).
 */
export function pickWeighted<Item>(
  items: readonly Item[],
  weigh: (item: Item, index: number) => { readonly share: number; readonly unit: number },
): Item {
  let best = 0;
  let bestScore = Number.POSITIVE_INFINITY;
  for (const [index, item] of items.entries()) {
    const { share, unit } = weigh(item, index);
    // An exponential variable with the share as its rate: the probability that it is the smallest equals the share.
    const score = -Math.log(unit) / share;
    if (score < bestScore) {
      best = index;
      bestScore = score;
    }
  }
  return items[best] as Item;
}

/** A random-looking number above 0 and below 1 for a text. For spreading load, never where forgery matters. */
export function hashToUnit(text: string): number {
  // Two 32-bit multiplicative hashes side by side (the public-domain cyrb53), of which 53 bits make a number.
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  const bits = 4294967296 * (2097151 & low) + (high >>> 0);
  return (bits + 0.5) / 2 ** 53;
}

/**
 * Leads related calls to one endpoint (docs/decisions/0010), separately for each caller: the session, else the prompt
 * cache key, else the conversation's opening where an endpoint has a lower price for cached prompts. Null for none.
 */
export function stickyKeyOf(
  { principal, session }: Pick<ModelCall, 'principal' | 'session'>,
  { cacheKey, openingOf }: CallPreferences,
  among: readonly Endpoint[],
): string | null {
  // Without a conversation there is no cached prompt.
  if (openingOf === undefined) return null;
  if (session !== null) return `${principal.id}\nsession\n${session}`;
  if (cacheKey) return `${principal.id}\ncache\n${cacheKey}`;
  if (!among.some(hasCheaperCachedReads)) return null;
  return `${principal.id}\nopening\n${openingOf()}`;
}
