import { expect, test } from 'vitest';

import { createPricedEndpoints } from '../../../../../test/support/gateways/priced-endpoints.ts';
import { type Endpoint, isNamed } from '../../catalog/catalog.ts';
import type { ProviderPreferences } from '../../wire/routing.ts';
import { createHealthBoard, type HealthBoard } from '../health/health-board.ts';
import { orderEndpoints, type OrderQuery } from './order-endpoints.ts';

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
