import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { Usage } from '../wire/chat-chunk.ts';
import { addCharges, attoToNano, costOf, parsePrices, toPriceText, toReportedCost } from './prices.ts';

const usageOf = (prompt: number, completion: number, details: Partial<Usage> = {}): Usage => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...details,
});

/** A Wednesday. */
const NOON = Date.UTC(2026, 8, 23, 12);

const charge = (
  pricing: Parameters<typeof parsePrices>[0],
  usage: Usage,
  images = 0,
  at = NOON,
): ReturnType<typeof costOf> => costOf(parsePrices(pricing), usage, { images, at });

test('charges prompt and completion at their prices', () => {
  expect(charge({ prompt: '0.00000015', completion: '0.0000006' }, usageOf(1000, 500))).toEqual({
    usd: 0.00045,
    promptUsd: 0.00015,
    completionUsd: 0.0003,
    cacheDiscountUsd: null,
    upstreamUsd: null,
    nanoUsd: 450_000,
    charges: [
      { unit: 'prompt', count: 1000, price: 150_000_000_000n },
      { unit: 'completion', count: 500, price: 600_000_000_000n },
    ],
  });
});

test('tells what a cache has saved, and what writing to it cost', () => {
  const pricing = { prompt: '0.00001', completion: '0', input_cache_read: '0.000001', input_cache_write: '0.0000125' };
  const discount = (details: Usage['prompt_tokens_details']): number | null | undefined =>
    charge(pricing, { ...usageOf(1000, 0), prompt_tokens_details: details })?.cacheDiscountUsd;
  expect(discount({ cached_tokens: 800 })).toBe(0.0072);
  expect(discount({ cached_tokens: 0, cache_write_tokens: 400 })).toBe(-0.001);
  expect([discount({ cached_tokens: 0 }), discount(undefined)]).toEqual([null, null]);
  // Without a price of its own, what is read from the cache costs as much as the rest.
  const unpriced = { ...usageOf(1000, 0), prompt_tokens_details: { cached_tokens: 800 } };
  expect(charge({ prompt: '0.00001', completion: '0' }, unpriced)?.cacheDiscountUsd).toBe(0);
});

test('charges nothing for what is free, which is not the same as no price', () => {
  expect(charge({ prompt: '0', completion: '0' }, usageOf(1000, 500))).toEqual({
    usd: 0,
    promptUsd: 0,
    completionUsd: 0,
    cacheDiscountUsd: null,
    upstreamUsd: null,
    nanoUsd: 0,
    charges: [
      { unit: 'prompt', count: 1000, price: 0n },
      { unit: 'completion', count: 500, price: 0n },
    ],
  });
  expect(charge({ prompt: '0.1' }, usageOf(1, 1))).toBeNull();
  expect(charge({ completion: '0.1' }, usageOf(1, 1))).toBeNull();
  expect(charge(undefined, usageOf(1, 1))).toBeNull();
});

test('knows no cost of a spoken completion without a price for audio', () => {
  const pricing = { prompt: '1', completion: '2' };
  const spoken = usageOf(10, 5, { completion_tokens_details: { audio_tokens: 4 } });
  expect(charge(pricing, spoken)).toBeNull();
  expect(charge({ ...pricing, audio_output: '5' }, spoken)?.usd).toBe(10 + 4 * 5 + 2);
  expect(charge(pricing, usageOf(10, 5, { completion_tokens_details: { audio_tokens: 0 } }))?.usd).toBe(20);
  const uncounted = { images: 0, at: NOON, hasSpokenOutput: true };
  expect(costOf(parsePrices(pricing), usageOf(10, 5), uncounted)).toBeNull();
});

test('charges special tokens once, at their own price', () => {
  const pricing = {
    prompt: '10',
    completion: '20',
    input_cache_read: '1',
    input_cache_write: '12',
    audio: '30',
    internal_reasoning: '25',
    image_output: '40',
    audio_output: '50',
  };
  const usage = usageOf(100, 50, {
    prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 20, audio_tokens: 10 },
    completion_tokens_details: { reasoning_tokens: 5, image_tokens: 4, audio_tokens: 3 },
  });
  expect(charge(pricing, usage)).toMatchObject({
    promptUsd: 30 * 1 + 20 * 12 + 10 * 30 + 40 * 10,
    completionUsd: 5 * 25 + 4 * 40 + 3 * 50 + 38 * 20,
  });
});

test('charges special tokens without a price of their own like the others', () => {
  const usage = usageOf(100, 50, {
    prompt_tokens_details: { cached_tokens: 30, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 5 },
  });
  expect(charge({ prompt: '1', completion: '2' }, usage)).toMatchObject({ promptUsd: 100, completionUsd: 100 });
});

test('charges nothing for special tokens that upstream did not count', () => {
  const usage = usageOf(100, 50, { prompt_tokens_details: { cached_tokens: 30 }, completion_tokens_details: {} });
  const pricing = { prompt: '1', completion: '2', audio: '100', input_cache_write: '100', image_output: '100' };
  expect(charge(pricing, usage)).toMatchObject({ promptUsd: 100, completionUsd: 100 });
});

test('never charges more tokens than there were, whatever the details claim', () => {
  const usage = usageOf(10, 0, { prompt_tokens_details: { cached_tokens: 1000, audio_tokens: 1000 } });
  expect(charge({ prompt: '1', completion: '1', input_cache_read: '0.5', audio: '9' }, usage)).toMatchObject({
    promptUsd: 5,
  });
});

test('charges for each image and for the request itself', () => {
  expect(charge({ prompt: '0', completion: '0', image: '0.001', request: '0.01' }, usageOf(1, 1), 3)).toMatchObject({
    usd: 0.013,
    promptUsd: 0.013,
    completionUsd: 0,
  });
});

test('charges audio that was cached, and what is cached for an hour, at their own prices and once', () => {
  const usage = usageOf(100, 0, {
    prompt_tokens_details: {
      cached_tokens: 40,
      cached_audio_tokens: 15,
      audio_tokens: 20,
      cache_write_tokens: 12,
      cache_write_1h_tokens: 2,
      image_tokens: 8,
    },
  });
  const pricing = {
    prompt: '10',
    completion: '0',
    input_cache_read: '1',
    input_audio_cache: '2',
    input_cache_write: '12',
    input_cache_write_1h: '20',
    audio: '30',
    image_token: '7',
  };
  const rest = 100 - 40 - 5 - 12 - 8;
  expect(charge(pricing, usage)?.promptUsd).toBe(25 * 1 + 15 * 2 + 10 * 12 + 2 * 20 + 5 * 30 + 8 * 7 + rest * 10);
  const { input_audio_cache: _audio, input_cache_write_1h: _hour, ...common } = pricing;
  expect(charge(common, usage)?.promptUsd).toBe(40 * 1 + 12 * 12 + 5 * 30 + 8 * 7 + rest * 10);
});

test('charges each search that was made', () => {
  const usage = usageOf(1, 1, { server_tool_use_details: { web_search_requests: 3 } });
  expect(charge({ prompt: '0', completion: '0', web_search: '0.01' }, usage)?.usd).toBe(0.03);
  expect(charge({ prompt: '0', completion: '0' }, usage)?.usd).toBe(0);
});

const LONG = {
  prompt: '1',
  completion: '2',
  input_cache_read: '0.5',
  overrides: [
    { min_prompt_tokens: 100, prompt: '10', completion: '20' },
    { min_prompt_tokens: 200, prompt: '100' },
  ],
};

test.each([
  [100, 100 * 1, 5 * 2],
  [101, 101 * 10, 5 * 20],
  [200, 200 * 10, 5 * 20],
  [201, 201 * 100, 5 * 20],
])('charges all of a call with %i prompt tokens at the prices of its length', (tokens, promptUsd, completionUsd) => {
  expect(charge(LONG, usageOf(tokens, 5))).toMatchObject({ promptUsd, completionUsd });
});

test('keeps the common price of what a longer prompt does not change', () => {
  const usage = usageOf(150, 0, { prompt_tokens_details: { cached_tokens: 50 } });
  expect(charge(LONG, usage)?.promptUsd).toBe(100 * 10 + 50 * 0.5);
});

const HOURLY = {
  prompt: '1',
  completion: '1',
  overrides: [
    { utc_start: 130, utc_end: 400, utc_days: ['monday' as const, 'wednesday' as const], prompt: '2' },
    { utc_start: 2300, utc_end: 100, prompt: '3' },
  ],
};

test.each([
  ['2026-09-23T01:29:59Z', 1],
  ['2026-09-23T01:30:00Z', 2],
  ['2026-09-23T03:59:59Z', 2],
  ['2026-09-23T04:00:00Z', 1],
  ['2026-09-24T02:00:00Z', 1],
  ['2026-09-24T23:00:00Z', 3],
  ['2026-09-24T00:59:00Z', 3],
  ['2026-09-24T01:00:00Z', 1],
])('charges a call that ended at %s at the price of that time', (time, promptUsd) => {
  expect(charge(HOURLY, usageOf(1, 0), 0, Date.parse(time))?.promptUsd).toBe(promptUsd);
});

test.each([
  ['0.0000000005', 1, 0],
  ['0.0000000015', 1, 2],
  ['0.0000000025', 1, 2],
  ['0.000000002500000001', 1, 3],
  ['0.0000000004', 1, 0],
  ['0.0000000006', 1, 1],
])('rounds %s USD half to even in billionths', (prompt, tokens, nanoUsd) => {
  expect(charge({ prompt, completion: '0' }, usageOf(tokens, 0))?.nanoUsd).toBe(nanoUsd);
});

test.each(['', '-1', '1e-7', '.5', '5.', '0,5', ' 1', '0x10', 'NaN', '1.2.3'])('refuses "%s" as a price', (text) => {
  expect(() => parsePrices({ prompt: text })).toThrow(RangeError);
});

test('leaves out units without a price', () => {
  expect(parsePrices({ prompt: undefined, image: '1' })).toEqual({ image: 10n ** 18n });
});

/** A decimal price of up to 14 places, and the same in units of 10^-14 USD. */
const price = fc
  .tuple(fc.bigInt(0n, 10n ** 16n), fc.integer({ min: 0, max: 14 }))
  .map(([value, places]) => {
    const digits = value.toString().padStart(places + 1, '0');
    const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
    return { text, units: value * 10n ** BigInt(14 - places) };
  })
  .filter(({ units }) => units < 10n ** 15n);

/** The number nearest to an exact amount: parsing decimal text rounds correctly. */
const nearest = (units: bigint): number => {
  const digits = units.toString().padStart(15, '0');
  return Number(`${digits.slice(0, -14)}.${digits.slice(-14)}`);
};

test('adds up exactly, and shows the nearest number there is', () => {
  fc.assert(
    fc.property(
      price,
      price,
      price,
      fc.nat(2_000_000),
      fc.nat(200_000),
      fc.nat(2_000_000),
      (prompt, completion, cached, promptTokens, completionTokens, cachedTokens) => {
        const fromCache = BigInt(Math.min(cachedTokens, promptTokens));
        const promptUnits = (BigInt(promptTokens) - fromCache) * prompt.units + fromCache * cached.units;
        const completionUnits = BigInt(completionTokens) * completion.units;
        const usage = usageOf(promptTokens, completionTokens, {
          prompt_tokens_details: { cached_tokens: cachedTokens },
        });
        const cost = charge({ prompt: prompt.text, completion: completion.text, input_cache_read: cached.text }, usage);

        const total = promptUnits + completionUnits;
        expect(cost?.usd).toBe(nearest(total));
        expect(cost?.promptUsd).toBe(nearest(promptUnits));
        expect(cost?.completionUsd).toBe(nearest(completionUnits));

        const whole = total / 100_000n;
        const twice = (total % 100_000n) * 2n;
        const isUp = twice > 100_000n || (twice === 100_000n && whole % 2n === 1n);
        expect(cost?.nanoUsd).toBe(Number(whole + (isUp ? 1n : 0n)));
      },
    ),
    { numRuns: 1000 },
  );
});

const count = fc.option(fc.nat(3_000_000), { nil: undefined });
const units = ['prompt', 'completion', 'input_cache_read', 'input_cache_write', 'audio'] as const;
const unitPrices = fc.record(Object.fromEntries(units.map((unit) => [unit, price])), {
  requiredKeys: ['prompt', 'completion'],
}) as fc.Arbitrary<Partial<Record<(typeof units)[number], { text: string; units: bigint }>>>;
const asTexts = (prices: object): Record<string, string> =>
  Object.fromEntries(Object.entries(prices).map(([unit, { text }]) => [unit, text]));

test('is never negative, and between its cheapest and its dearest token, whatever upstream counts', () => {
  const details = fc.record(
    { cached_tokens: count, cache_write_tokens: count, audio_tokens: count, image_tokens: count },
    { requiredKeys: [] },
  );
  const parts = fc.record({ cached_audio_tokens: count, cache_write_1h_tokens: count }, { requiredKeys: [] });
  fc.assert(
    fc.property(
      unitPrices,
      unitPrices,
      fc.nat(2_000_000),
      fc.nat(2_000_000),
      fc.nat(2_000_000),
      details,
      parts,
      (common, above, threshold, promptTokens, completionTokens, whole, part) => {
        const usage = usageOf(promptTokens, completionTokens, {
          prompt_tokens_details: { ...whole, ...part },
        });
        const pricing = {
          ...asTexts(common),
          overrides: [{ min_prompt_tokens: threshold, ...asTexts(above) }],
        };
        const held = promptTokens > threshold ? { ...common, ...above } : common;
        const { completion, ...ofPrompt } = held;
        const each = Object.values(ofPrompt).map(({ units: value }) => value);
        const bound = (pick: (a: bigint, b: bigint) => bigint): bigint => BigInt(promptTokens) * each.reduce(pick);
        const cost = charge(pricing, usage);
        expect(cost?.completionUsd).toBe(nearest(BigInt(completionTokens) * (completion?.units ?? 0n)));
        expect(cost?.promptUsd).toBeGreaterThanOrEqual(nearest(bound((a, b) => (a < b ? a : b))));
        expect(cost?.promptUsd).toBeLessThanOrEqual(nearest(bound((a, b) => (a > b ? a : b))));
        expect(cost?.nanoUsd).toBeGreaterThanOrEqual(0);
        const parts = cost?.charges ?? [];
        const sum = parts.reduce((total, { count: charged, price: each }) => total + BigInt(charged) * each, 0n);
        expect(attoToNano(sum)).toBe(cost?.nanoUsd);
        const tokens = parts.reduce((total, { count: charged }) => total + charged, 0);
        expect(tokens).toBe(promptTokens + completionTokens);
        expect(parts.every(({ count: charged }) => charged > 0)).toBe(true);
      },
    ),
    { numRuns: 1000 },
  );
});

test('adds charges up by their unit and price, and writes a price as it is configured', () => {
  const one = { unit: 'prompt', count: 3, price: 5n } as const;
  expect(addCharges([one], [one, { ...one, price: 6n }])).toEqual([
    { ...one, count: 6 },
    { ...one, price: 6n },
  ]);
  for (const text of ['0', '3', '10', '0.00000015', '12.5', '0.000000000000000001']) {
    const [charged] = charge({ prompt: text, completion: '0' }, usageOf(1, 0))?.charges ?? [];
    expect(toPriceText(charged?.price ?? -1n)).toBe(text);
  }
});

test('takes a cost and its split that upstream reports for what they are', () => {
  expect(toReportedCost(0.1 + 0.2, { promptUsd: 0.1, completionUsd: 0.15, totalUsd: 0.25 }, null)).toEqual({
    usd: 0.1 + 0.2,
    promptUsd: 0.1,
    completionUsd: 0.15,
    cacheDiscountUsd: null,
    upstreamUsd: 0.25,
    nanoUsd: 300_000_000,
    charges: [],
  });
});

test('splits a cost that upstream reports as a whole as list prices would, or not at all', () => {
  const listed = charge({ prompt: '0.001', completion: '0.003' }, usageOf(100, 100));
  expect(toReportedCost(0.8, {}, listed)).toMatchObject({ promptUsd: 0.2, completionUsd: 0.6, upstreamUsd: null });
  expect(toReportedCost(0.8, { totalUsd: 0.7 }, null)).toMatchObject({
    usd: 0.8,
    promptUsd: null,
    completionUsd: null,
    upstreamUsd: 0.7,
  });
  expect(toReportedCost(0, {}, null)).toMatchObject({ promptUsd: 0, completionUsd: 0 });
});
