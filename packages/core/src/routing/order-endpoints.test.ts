import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createPricedEndpoints } from '../../../../test/support/gateways/priced-endpoints.ts';
import { createRoutedGateway, endpointsAt } from '../../../../test/support/gateways/routed-gateway.ts';
import { type Endpoint, isNamed } from '../catalog/catalog.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';
import type { ProviderPreferences } from '../wire/routing.ts';
import { createHealthBoard, type HealthBoard } from './health/endpoint-health.ts';
import {
  createRandomSource,
  orderEndpoints,
  type OrderQuery,
  pickAtRandom,
  pickByKey,
  sharesOf,
} from './order-endpoints.ts';

const board = (): HealthBoard => createHealthBoard({ monotonicNow: () => 1_000_000 });

/** The tags in order. Nothing is drawn unless a test says what. */
function order(endpoints: readonly Endpoint[], query: Partial<OrderQuery> = {}): string[] {
  const full: OrderQuery = {
    preferences: {},
    means: isNamed,
    sort: null,
    firstTier: null,
    health: board(),
    random: () => 0,
    stickyKeyOf: () => null,
    ...query,
  };
  return orderEndpoints(endpoints, full).map(({ tag }) => tag);
}

const endpoints = createPricedEndpoints({ dear: 9, cheap: 1, middle: 3, unknown: null });
const [dear, cheap, middle] = endpoints as [Endpoint, Endpoint, Endpoint];

/** Records an endpoint's call: milliseconds to the first token and to the end, for a completion of 100 tokens. */
function call(health: HealthBoard, endpoint: Endpoint, latencyMs: number, durationMs: number): void {
  health.of(endpoint).noteStarted();
  health.of(endpoint).noteBegun(latencyMs);
  health.of(endpoint).noteCompleted(100, durationMs);
}

function fail(health: HealthBoard, endpoint: Endpoint, times = 1): void {
  for (let i = 0; i < times; i += 1) {
    health.of(endpoint).noteStarted();
    health.of(endpoint).noteFailed({ code: 'provider_unavailable' }, false);
  }
}

test('draws the first and lets the others follow by price, what has no price last', () => {
  expect(order(endpoints, { random: () => 0 })).toEqual(['cheap', 'middle', 'dear', 'unknown']);
  expect(order(endpoints, { random: () => 0.95 })).toEqual(['middle', 'cheap', 'dear', 'unknown']);
  expect(order(endpoints, { random: () => 0.999 })).toEqual(['dear', 'cheap', 'middle', 'unknown']);
});

test('draws between two as well, and from one alone draws nothing', () => {
  const two = createPricedEndpoints({ cheap: 1, dear: 2 });
  expect(order(two, { random: () => 0 })).toEqual(['cheap', 'dear']);
  expect(order(two, { random: () => 0.999 })).toEqual(['dear', 'cheap']);
  const random = (): never => {
    throw new Error('drawn');
  };
  expect(order(two.slice(0, 1), { random })).toEqual(['cheap']);
});

test('puts what costs nothing first', () => {
  const withFree = createPricedEndpoints({ cheap: 0.001, free: 0 });
  for (const value of [0, 0.5, 0.999]) expect(order(withFree, { random: () => value })[0]).toBe('free');
});

test('keeps a key on its endpoint, and draws nothing then', () => {
  const random = (): never => {
    throw new Error('drawn');
  };
  const first = (key: string): string | undefined => order(endpoints, { random, stickyKeyOf: () => key })[0];
  const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`);
  expect(new Set(keys.map(first)).size).toBeGreaterThan(1);
  for (const key of keys) expect(first(key)).toBe(first(key));
});

test.each<[string[], string[]]>([
  [['dear'], ['dear', 'cheap', 'middle', 'unknown']],
  [
    ['unknown', 'middle'],
    ['unknown', 'middle', 'cheap', 'dear'],
  ],
  [
    ['nobody', 'middle', 'middle'],
    ['middle', 'cheap', 'dear', 'unknown'],
  ],
])('with the order %j the endpoints come as %j, drawn or sorted nowhere', (named, expected) => {
  const stickyKeyOf = (): string => 'a key';
  for (const sort of [null, 'latency'] as const) {
    expect(order(endpoints, { preferences: { order: named }, sort, random: () => 0.999, stickyKeyOf })).toEqual(
      expected,
    );
  }
  const health = board();
  fail(health, dear);
  expect(order(endpoints, { preferences: { order: named }, health })).toEqual(expected);
});

test('sorts by price, throughput and latency, what was not measured last and by price', () => {
  const health = board();
  call(health, dear, 100, 1000);
  call(health, middle, 200, 500);
  expect(order(endpoints, { health, sort: 'price' })).toEqual(['cheap', 'middle', 'dear', 'unknown']);
  expect(order(endpoints, { health, sort: 'throughput' })).toEqual(['middle', 'dear', 'cheap', 'unknown']);
  expect(order(endpoints, { health, sort: 'latency' })).toEqual(['dear', 'middle', 'cheap', 'unknown']);
});

test('sorts by the share of calls that succeed, then by throughput', () => {
  const health = board();
  for (let i = 0; i < 50; i += 1) call(health, cheap, 100, 1000);
  for (let i = 0; i < 50; i += 1) call(health, middle, 100, 500);
  for (let i = 0; i < 50; i += 1) call(health, dear, 100, 100);
  fail(health, dear);
  expect(order(endpoints, { health, sort: 'exacto' })).toEqual(['middle', 'cheap', 'dear', 'unknown']);
});

test('lets the first tier come before the others, whatever its price', () => {
  const tiers = createPricedEndpoints({ cheap: 1, dear: 9 }, (slug) => (slug === 'dear' ? { tag: 'priority' } : {}));
  expect(order(tiers)).toEqual(['cheap', 'dear/priority']);
  expect(order(tiers, { firstTier: 'priority', sort: 'throughput' })).toEqual(['dear/priority', 'cheap']);
});

test('puts what failed within 30 seconds behind, and what is broken behind that', () => {
  const health = board();
  fail(health, cheap, 5);
  fail(health, middle);
  expect(order(endpoints, { health })).toEqual(['dear', 'unknown', 'middle', 'cheap']);
  expect(order(endpoints, { health, sort: 'price' })).toEqual(['dear', 'unknown', 'middle', 'cheap']);
});

test('puts a resting endpoint behind a failing one', () => {
  const health = board();
  health.of(cheap).noteStarted();
  health.of(cheap).noteFailed({ code: 'rate_limit_exceeded' }, false);
  fail(health, middle);
  expect(order(endpoints, { health })).toEqual(['dear', 'unknown', 'middle', 'cheap']);
});

test.each<[ProviderPreferences, string[]]>([
  [{ preferred_min_throughput: 50 }, ['cheap', 'middle', 'dear', 'unknown']],
  [{ preferred_min_throughput: 150 }, ['middle', 'dear', 'unknown', 'cheap']],
  [{ preferred_min_throughput: { p90: 150 } }, ['dear', 'unknown', 'cheap', 'middle']],
  [{ preferred_min_throughput: { p50: null, p90: 150 } }, ['dear', 'unknown', 'cheap', 'middle']],
  [{ preferred_max_latency: { p50: null } }, ['cheap', 'middle', 'dear', 'unknown']],
  [{ preferred_max_latency: 1 }, ['cheap', 'middle', 'dear', 'unknown']],
  [{ preferred_max_latency: 0.5 }, ['middle', 'dear', 'unknown', 'cheap']],
  [{ preferred_max_latency: { p50: 0.5, p99: 0.5 } }, ['dear', 'unknown', 'cheap', 'middle']],
  [{ preferred_max_latency: 1, preferred_min_throughput: 150 }, ['middle', 'dear', 'unknown', 'cheap']],
])('with %j what is too slow goes to the back, but stays', (preferences, expected) => {
  const health = board();
  for (let i = 0; i < 4; i += 1) {
    call(health, cheap, 800, 1000);
    // One call in four is slow: the median does not show it, the higher percentiles do.
    call(health, middle, i === 0 ? 900 : 100, i === 0 ? 2000 : 500);
  }
  expect(order(endpoints, { preferences, health })).toEqual(expected);
});

test('puts providers that the caller pays before all others, even those that order names', () => {
  const own = createPricedEndpoints({ cheap: 1, own: 9 }, (slug) => ({ byok: slug === 'own' }));
  expect(order(own)).toEqual(['own', 'cheap']);
  expect(order(own, { preferences: { order: ['cheap'] } })).toEqual(['own', 'cheap']);
});

const seeded = (seed: number) => createRandomSource({ randomBytes: () => Uint8Array.of(seed >> 8, seed, 7, 1) });

/** How often each was picked, by its tag. */
function countPicks(times: number, pick: (round: number) => Endpoint): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let round = 0; round < times; round += 1) {
    const { tag } = pick(round);
    counts[tag] = (counts[tag] ?? 0) + 1;
  }
  return counts;
}

test.each<[string, Record<string, number | null>, number[]]>([
  ['one over the square of the price', { a: 1, b: 2, c: 3 }, [36 / 49, 9 / 49, 4 / 49]],
  ['everything to what costs nothing', { a: 1, b: 0, c: 3 }, [0, 1, 0]],
  ['equal parts to what costs nothing', { a: 0, b: 0 }, [0.5, 0.5]],
  ['nothing to what has no known price', { a: 1, b: null }, [1, 0]],
  ['equal parts where no price is known', { a: null, b: null }, [0.5, 0.5]],
  ['their parts to prices too small to be squared', { a: 0.000001, b: 0.000002 }, [0.8, 0.2]],
])('gives %s', (_name, prices, shares) => {
  sharesOf(createPricedEndpoints(prices)).forEach((share, index) => expect(share).toBeCloseTo(shares[index] ?? -1, 10));
});

/** Five standard deviations: a sound draw leaves these bounds once in two million times. */
const isWithinBounds = (count: number, share: number, times: number): boolean =>
  Math.abs(count - share * times) <= 5 * Math.sqrt(times * share * (1 - share)) + 1e-9;

test('draws each as often as its share says, whatever the prices and the seed', () => {
  const times = 5000;
  const price = fc.constantFrom(0.1, 0.5, 1, 2, 3, 10);
  fc.assert(
    fc.property(fc.array(price, { minLength: 2, maxLength: 5 }), fc.nat(60_000), (prices, seed) => {
      const endpoints = createPricedEndpoints(Object.fromEntries(prices.map((usd, index) => [`p${index}`, usd])));
      const random = seeded(seed);
      const drawn = countPicks(times, () => pickAtRandom(endpoints, random));
      const kept = countPicks(times, (round) => pickByKey(endpoints, `session ${seed} ${round}`));
      for (const [index, share] of sharesOf(endpoints).entries()) {
        expect(isWithinBounds(drawn[`p${index}`] ?? 0, share, times)).toBe(true);
        expect(isWithinBounds(kept[`p${index}`] ?? 0, share, times)).toBe(true);
      }
    }),
    { numRuns: 30, seed: 1 },
  );
});

test('picks the same for the same key, and moves only the keys of what has vanished', () => {
  const endpoints = createPricedEndpoints({ a: 1, b: 1.5, c: 2, d: 3 });
  const without = endpoints.filter(({ tag }) => tag !== 'b');
  let moved = 0;
  for (let key = 0; key < 1000; key += 1) {
    const before = pickByKey(endpoints, `key ${key}`);
    expect(pickByKey(endpoints.toReversed(), `key ${key}`)).toBe(before);
    const after = pickByKey(without, `key ${key}`);
    if (before.tag === 'b') moved += 1;
    else expect(after).toBe(before);
  }
  expect(moved).toBeGreaterThan(100);
});

test('never picks what must not be picked', () => {
  const endpoints = createPricedEndpoints({ free: 0, dear: 1, unknown: null });
  for (let round = 0; round < 200; round += 1) {
    expect(pickAtRandom(endpoints, () => round / 200).tag).toBe('free');
    expect(pickByKey(endpoints, String(round)).tag).toBe('free');
  }
  expect(pickAtRandom(endpoints, () => 1 - Number.EPSILON / 2).tag).toBe('free');
});

test('draws numbers from 0 up to 1, evenly, and the same again from the same seed', () => {
  const random = seeded(42);
  const again = seeded(42);
  const buckets = Array.from({ length: 10 }, () => 0);
  for (let round = 0; round < 10_000; round += 1) {
    const value = random();
    expect(again()).toBe(value);
    buckets[Math.floor(value * 10)] = (buckets[Math.floor(value * 10)] ?? 0) + 1;
  }
  expect(buckets.every((count) => isWithinBounds(count, 0.1, 10_000))).toBe(true);
});

const THREE = { cheap: {}, middle: {}, dear: {} };
const CHAT: ModelDefinition = { id: 'r/chat', endpoints: endpointsAt({ cheap: 1, middle: 2, dear: 3 }) };

test('keeps a session on one endpoint, over many sessions each by its share', async () => {
  const { askedFor } = createRoutedGateway(THREE, [CHAT]);
  const counts: Record<string, number> = {};
  for (let session = 0; session < 100; session += 1) {
    const [body, headers] =
      session % 2 === 0 ? [{ session_id: `s${session}` }, {}] : [{}, { 'x-session-id': `s${session}` }];
    const asked = [await askedFor(body, headers), await askedFor(body, headers), await askedFor(body, headers)].flat();
    expect(new Set(asked).size).toBe(1);
    counts[asked[0] ?? ''] = (counts[asked[0] ?? ''] ?? 0) + 1;
  }
  expect(counts['cheap']).toBeGreaterThan(50);
  expect(counts['cheap']).toBeLessThan(95);
});

const CACHING: ModelDefinition = {
  id: 'r/chat',
  endpoints: endpointsAt({ cheap: 1, middle: 1, dear: 1 }).map((endpoint) => ({
    ...endpoint,
    pricing: { ...endpoint.pricing, input_cache_read: '0.0000001' },
  })),
};
const opening = (text: string): object[] => [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: text },
];

test.each<[string, ModelDefinition, (round: number) => Record<string, unknown>, number]>([
  ['the session before the cache key', CHAT, (round) => ({ session_id: 's', prompt_cache_key: `k${round}` }), 1],
  [
    'the cache key before the opening',
    CACHING,
    (round) => ({ prompt_cache_key: 'k', messages: opening(`q${round}`) }),
    1,
  ],
  [
    'the opening, however the conversation goes on',
    CACHING,
    (round) => ({
      messages: [...opening('q'), { role: 'assistant', content: `a${round}` }, { role: 'user', content: `${round}` }],
    }),
    1,
  ],
  ['another endpoint for another opening', CACHING, (round) => ({ messages: opening(`q${round}`) }), 3],
  [
    'no opening where cached tokens cost as much',
    { ...CHAT, endpoints: endpointsAt({ cheap: 1, middle: 1, dear: 1 }) },
    () => ({ messages: opening('q') }),
    3,
  ],
])('keeps to %s', async (_name, model, bodyOf, endpoints) => {
  const { askedFor } = createRoutedGateway(THREE, [model]);
  const asked = new Set<string>();
  for (let round = 0; round < 30; round += 1) for (const slug of await askedFor(bodyOf(round))) asked.add(slug);
  expect(asked.size).toBe(endpoints);
});

test('goes by order alone where there is one, whatever the session', async () => {
  const { askedFor } = createRoutedGateway(THREE, [CHAT]);
  for (const slug of Object.keys(THREE)) {
    expect(await askedFor({ session_id: 's', provider: { order: [slug] } })).toEqual([slug]);
  }
});

test('moves a session while its endpoint is out of order, and back afterwards', async () => {
  const { askedFor, behave, platform } = createRoutedGateway(THREE, [CHAT]);
  const session = { session_id: 'one session' };
  const [home = ''] = await askedFor(session);
  behave(home, 'provider_unavailable');
  expect((await askedFor(session)).length).toBe(2);
  const away = await askedFor(session);
  expect(away).not.toContain(home);
  expect(await askedFor(session)).toEqual(away);
  behave(home, 'complete');
  platform.oversleep(31_000);
  expect(await askedFor(session)).toEqual([home]);
});
