import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createPricedEndpoints } from '../../../../../test/support/gateways/priced-endpoints.ts';
import type { Endpoint } from '../../catalog/catalog.ts';
import { createRandomSource } from '../random.ts';
import { pickAtRandom, pickByKey, sharesOf } from './pick-weighted.ts';

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
