import fc from 'fast-check';
import { expect, test } from 'vitest';

import { chargeAt, explainCost, toCacheSaving } from './explain-cost.ts';

const decimal = fc
  .tuple(fc.nat(0), fc.nat(999_999_999), fc.constantFrom(4, 9, 12, 18))
  .map(([whole, fraction, places]) => `${whole}.${String(fraction).padStart(places, '0')}`);
const charges = fc.array(
  fc.record({ unit: fc.constantFrom('prompt', 'completion', 'image'), count: fc.nat(200_000), price: decimal }),
  { maxLength: 9 },
);

test('the parts and the difference add up to the cost, whatever the prices and counts', () => {
  fc.assert(
    fc.property(charges, fc.double({ min: 0, max: 1000, noNaN: true }), (list, total) => {
      const explained = explainCost(list, total);
      const sum = explained?.parts.reduce((left, { nanoUsd }) => left + nanoUsd, 0) ?? Number.NaN;
      expect(sum + (explained?.differenceNanoUsd ?? 0)).toBe(Math.round(total * 1e9));
    }),
  );
});

test('a cost that is the sum of its charges has no difference, and no part is a nano-dollar off', () => {
  const small = fc.record({
    unit: fc.constantFrom('prompt', 'completion'),
    count: fc.nat(100_000),
    price: fc.nat(99_999_999).map((units) => `0.${String(units).padStart(14, '0')}`),
  });
  fc.assert(
    fc.property(fc.array(small, { minLength: 1, maxLength: 9 }), (list) => {
      const units = list.reduce((sum, { count, price }) => sum + BigInt(count) * BigInt(price.slice(2)), 0n);
      const explained = explainCost(list, Number(units) / 1e14);
      expect(explained?.differenceNanoUsd).toBe(0);
      for (const { count, price, nanoUsd } of explained?.parts ?? []) {
        expect(nanoUsd).toBeGreaterThanOrEqual(0);
        expect(Math.abs(nanoUsd - count * Number(price) * 1e9)).toBeLessThan(1.001);
      }
    }),
  );
});

const COUNTS = {
  tokens_prompt: 1000,
  tokens_completion: 200,
  native_tokens_cached: 600,
  native_tokens_reasoning: 50,
  native_tokens_completion_images: null,
  num_media_prompt: 2,
};
const PRICING = { prompt: '0.000003', completion: '0.000015', request: '0', image: '0.001' };

test('charges a record at other prices, each token once', () => {
  expect(chargeAt({ ...PRICING, input_cache_read: '0.0000003' }, COUNTS)).toEqual([
    { unit: 'prompt', count: 400, price: '0.000003' },
    { unit: 'input_cache_read', count: 600, price: '0.0000003' },
    { unit: 'completion', count: 200, price: '0.000015' },
    { unit: 'image', count: 2, price: '0.001' },
  ]);
  const long = chargeAt({ ...PRICING, overrides: [{ min_prompt_tokens: 999, prompt: '0.000006' }] }, COUNTS);
  expect(long?.[0]).toEqual({ unit: 'prompt', count: 1000, price: '0.000006' });
  expect(chargeAt({ ...PRICING, prompt: '-1' }, COUNTS)).toBeNull();
});

test('shows what prices of today do not account for', () => {
  const list = chargeAt(PRICING, { ...COUNTS, num_media_prompt: 0 }) ?? [];
  expect(explainCost(list, 0.006)).toMatchObject({ differenceNanoUsd: 0, totalNanoUsd: 6_000_000 });
  expect(explainCost(list, 0.0075)).toMatchObject({ differenceNanoUsd: 1_500_000 });
  expect(explainCost([{ unit: 'prompt', count: 1, price: '-1' }], 1)).toBeNull();
});

test('tells what the cache has saved, less what writing to it cost', () => {
  const prompt = { unit: 'prompt', count: 1, price: '0.00001' };
  const read = { unit: 'input_cache_read', count: 800, price: '0.000001' };
  const written = { unit: 'input_cache_write', count: 400, price: '0.0000125' };
  expect(toCacheSaving([prompt, read])).toBe(0.0072);
  expect(toCacheSaving([prompt, written])).toBe(-0.001);
  expect(toCacheSaving([read], '0.00001')).toBe(0.0072);
  expect([toCacheSaving([prompt]), toCacheSaving([read])]).toEqual([null, null]);
});
