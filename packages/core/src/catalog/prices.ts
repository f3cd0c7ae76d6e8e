import type { UpstreamCosts, Usage } from '../wire/chat-chunk.ts';
import type { EndpointPricing, PriceUnit } from '../wire/model-definition.ts';
import type { PricingOverride } from '../wire/model-facts.ts';

/** Prices are counted in units of 10^-18 USD, so that any decimal text that occurs is exact. */
const ATTO_PER_USD = 10n ** 18n;
const ATTO_PER_NANO = 10n ** 9n;

/** Prices of one endpoint, exact. */
export type Prices = UnitPrices & {
  /** In the order of the configuration: a later one that applies takes precedence, unit by unit. */
  readonly overrides?: readonly PriceOverride[];
};

/** Facts that affect the cost of a call and are absent from its usage. */
export interface ChargedCall {
  /** Images in the prompt. */
  readonly images: number;
  /** The completion was spoken. Not every upstream counts the tokens of that. */
  readonly hasSpokenOutput?: boolean;
  /** What it made beside text; absent for nothing. */
  readonly made?: MadeMedia | undefined;
  /** Unix milliseconds at which the call ended: providers whose prices change with the hour go by that. */
  readonly at: number;
}

/** What a call makes beside text, or may make at most. */
export interface MadeMedia {
  readonly images: number;
  /** The sum over all images, each rounded up to whole megapixels. */
  readonly megapixels: number;
  /** The call makes nothing else, so that a price for its images is a price for all of it. */
  readonly isAll: boolean;
}

/** A part of a cost: so many units at a price each, in 10^-18 USD. */
export interface Charge {
  readonly unit: PriceUnit;
  readonly count: number;
  readonly price: bigint;
}

/** The cost of a call. */
export interface Cost {
  /** USD, as the wire shows it. */
  readonly usd: number;
  /** Null where only the whole is known. */
  readonly promptUsd: number | null;
  readonly completionUsd: number | null;
  /** What the provider's cache has saved in the prompt, below 0 where writing to it cost more; null where nothing was cached. */
  readonly cacheDiscountUsd: number | null;
  /** What inference cost upstream or its owner, as upstream reports it; null if it does not. */
  readonly upstreamUsd: number | null;
  /** Billionths of a dollar, half rounded to even: what ledgers add up. */
  readonly nanoUsd: number;
  /** The parts that it is the exact sum of; empty where upstream reported it. */
  readonly charges: readonly Charge[];
}

/** Reads prices from decimal text. Throws `RangeError` for text that is no plain decimal number. */
export function parsePrices(pricing: EndpointPricing | undefined): Prices {
  const { overrides, ...units } = pricing ?? {};
  const prices = parseUnits(units);
  if (overrides === undefined || overrides.length === 0) return prices;
  return {
    ...prices,
    overrides: overrides.map((override) => {
      const { min_prompt_tokens: _tokens, utc_start: _start, utc_end: _end, utc_days: _days, ...own } = override;
      return toPriceOverride(override, parseUnits(own));
    }),
  };
}

function parseUnits(units: { readonly [unit in PriceUnit]?: string | undefined }): UnitPrices {
  const prices: { [unit in PriceUnit]?: bigint } = {};
  for (const [unit, text] of Object.entries(units)) {
    if (text !== undefined) prices[unit as PriceUnit] = parsePrice(text);
  }
  return prices;
}

function parsePrice(text: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,18})\d*)?$/.exec(text);
  if (match === null) throw new RangeError(`"${text}" is not a decimal price`);
  return BigInt(match[1] as string) * ATTO_PER_USD + BigInt((match[2] ?? '').padEnd(18, '0'));
}

/** The prices that hold for one call. Above a threshold of prompt tokens all of the call is charged at its prices. */
export function pricesFor(prices: Prices, promptTokens: number, at: number): UnitPrices {
  if (prices.overrides === undefined) return prices;
  let held: UnitPrices = prices;
  for (const override of prices.overrides) {
    if (appliesTo(override, promptTokens, at)) held = { ...held, ...override.prices };
  }
  return held;
}

/**
 * The exact cost of a call; null when the price of its tokens is not known, or the completion is spoken and has no price
 * for audio, which costs many times as much as text. Cached and written tokens are part of the prompt, reasoning and
 * image tokens part of the completion: each is charged once, at its own price where it has one. Images, searches and the
 * request itself are charged on top, where they have a price.
 */
export function costOf(prices: Prices, usage: Usage, call: ChargedCall): Cost | null {
  if (!isPriced(prices, usage, call.made)) return null;
  const isSpoken = call.hasSpokenOutput === true || (usage.completion_tokens_details?.audio_tokens ?? 0) > 0;
  if (isSpoken && prices.audio_output === undefined) return null;
  const held = pricesFor(prices, usage.prompt_tokens, call.at);
  const charges: Charge[] = [];
  const prompt = promptCost(held, held.prompt ?? 0n, usage, charges) + extrasCost(held, usage, call, charges);
  const completion = completionCost(held, held.completion ?? 0n, usage, charges) + madeCost(held, call.made, charges);
  return {
    usd: attoToUsd(prompt + completion),
    promptUsd: attoToUsd(prompt),
    completionUsd: attoToUsd(completion),
    cacheDiscountUsd: cacheDiscountOf(held, usage),
    upstreamUsd: null,
    nanoUsd: attoToNano(prompt + completion),
    // Tokens of a call that is charged by its images have no price, which is not a price of zero.
    charges: call.made?.isAll === true ? charges.filter(({ unit }) => held[unit] !== undefined) : charges,
  };
}

/** Whether all that a call used has a price. Tokens need one, except where its images are charged by themselves. */
function isPriced(prices: Prices, usage: Usage, made: MadeMedia | undefined): boolean {
  const { completion_tokens: written, completion_tokens_details: details } = usage;
  if (made?.isAll === true && areImagesPriced(prices)) return true;
  if (prices.prompt === undefined) return false;
  // Images that are charged by tokens which nobody has counted have no known cost.
  if (made?.isAll === true) return written > 0 && (prices.completion ?? prices.image_output) !== undefined;
  const isImageAlone = details?.image_tokens === written && prices.image_output !== undefined;
  return prices.completion !== undefined || written === 0 || isImageAlone;
}

/** Whether images are charged by their number or size. */
export const areImagesPriced = (prices: UnitPrices): boolean =>
  prices.generated_image !== undefined || prices.generated_megapixel !== undefined;

/**
 * A cost that is made up of these charges alone, those of the prompt and those of what was made of it. Parts of a unit,
 * such as a second, are counted by thousandths.
 */
export function costOfCharges(prompt: readonly Charge[], completion: readonly Charge[]): Cost {
  const sumOf = (charges: readonly Charge[]): bigint =>
    charges.reduce((sum, { count, price }) => sum + (BigInt(Math.round(count * 1000)) * price) / 1000n, 0n);
  const promptAtto = sumOf(prompt);
  const completionAtto = sumOf(completion);
  return {
    usd: attoToUsd(promptAtto + completionAtto),
    promptUsd: attoToUsd(promptAtto),
    completionUsd: attoToUsd(completionAtto),
    cacheDiscountUsd: null,
    upstreamUsd: null,
    nanoUsd: attoToNano(promptAtto + completionAtto),
    charges: [...prompt, ...completion].filter(({ count, price }) => count > 0 && price > 0n),
  };
}

/**
 * A cost that upstream itself reported, in the same shape. Where upstream does not split it, it is split in the
 * proportion of `listed`, the cost by list prices.
 */
export function toReportedCost(
  usd: number,
  { promptUsd, completionUsd, totalUsd }: UpstreamCosts,
  listed: Cost | null,
): Cost {
  const isSplit = promptUsd !== undefined && completionUsd !== undefined;
  return {
    usd,
    ...(isSplit ? { promptUsd, completionUsd } : splitLike(listed, usd)),
    // Nobody knows what a charge that took the place of list prices would have been without the cache.
    cacheDiscountUsd: null,
    upstreamUsd: totalUsd ?? null,
    nanoUsd: Math.round(usd * 1e9),
    charges: [],
  };
}

function splitLike(listed: Cost | null, usd: number): Pick<Cost, 'promptUsd' | 'completionUsd'> {
  if (usd === 0) return { promptUsd: 0, completionUsd: 0 };
  if (listed === null || listed.usd === 0 || listed.promptUsd === null) return { promptUsd: null, completionUsd: null };
  const promptUsd = Number(((listed.promptUsd / listed.usd) * usd).toFixed(15));
  return { promptUsd, completionUsd: Number((usd - promptUsd).toFixed(15)) };
}

function promptCost(
  prices: UnitPrices,
  price: bigint,
  { prompt_tokens: total, prompt_tokens_details }: Usage,
  charges: Charge[] = [],
): bigint {
  const rest = { unit: 'prompt', price } as const;
  if (prompt_tokens_details === undefined) return split(total, rest, [], charges);
  const { cached_tokens = 0, cache_write_tokens = 0, audio_tokens = 0, image_tokens } = prompt_tokens_details;
  // These are parts of other counts, and must not be charged with them again.
  const cachedAudio = Math.min(prompt_tokens_details.cached_audio_tokens ?? 0, cached_tokens);
  const writtenForAnHour = Math.min(prompt_tokens_details.cache_write_1h_tokens ?? 0, cache_write_tokens);
  const own: readonly Special[] = [
    [cachedAudio, prices.input_audio_cache === undefined ? 'input_cache_read' : 'input_audio_cache'],
    [cached_tokens - cachedAudio, 'input_cache_read'],
    [writtenForAnHour, prices.input_cache_write_1h === undefined ? 'input_cache_write' : 'input_cache_write_1h'],
    [cache_write_tokens - writtenForAnHour, 'input_cache_write'],
    [Math.max(audio_tokens - cachedAudio, 0), 'audio'],
    [image_tokens, 'image_token'],
  ];
  return split(total, rest, toPriced(own, prices), charges);
}

/** What the prompt would have cost without a cache, less what it does cost. */
function cacheDiscountOf(prices: UnitPrices, usage: Usage): number | null {
  const { prompt_tokens_details: details } = usage;
  const { cached_tokens: read = 0, cache_write_tokens: written = 0 } = details ?? {};
  if (details === undefined || read + written === 0) return null;
  const uncached = { ...details, cached_tokens: 0, cached_audio_tokens: 0, cache_write_tokens: 0 };
  const price = prices.prompt ?? 0n;
  const whole = promptCost(prices, price, { ...usage, prompt_tokens_details: uncached });
  return attoToUsd(whole - promptCost(prices, price, usage));
}

function extrasCost(prices: UnitPrices, usage: Usage, { images }: ChargedCall, charges: Charge[]): bigint {
  const searches = usage.server_tool_use_details?.web_search_requests;
  let cost = 0n;
  for (const { unit, count, price } of toPriced(
    [
      [1, 'request'],
      [images, 'image'],
      [searches, 'web_search'],
    ],
    prices,
  )) {
    cost += BigInt(count) * price;
    if (price > 0n) charges.push({ unit, count, price });
  }
  return cost;
}

/** The cost of images, where they have a price of their own beside that of their tokens. */
function madeCost(prices: UnitPrices, made: MadeMedia | undefined, charges: Charge[]): bigint {
  if (made === undefined) return 0n;
  const own = toPriced(
    [
      [made.images, 'generated_image'],
      [made.megapixels, 'generated_megapixel'],
    ],
    prices,
  );
  charges.push(...own);
  return own.reduce((sum, { count, price }) => sum + BigInt(count) * price, 0n);
}

function completionCost(
  prices: UnitPrices,
  price: bigint,
  { completion_tokens: total, completion_tokens_details: details }: Usage,
  charges: Charge[],
): bigint {
  const rest = { unit: 'completion', price } as const;
  if (details === undefined) return split(total, rest, [], charges);
  const own: readonly Special[] = [
    [details.reasoning_tokens, 'internal_reasoning'],
    [details.image_tokens, 'image_output'],
    [details.audio_tokens, 'audio_output'],
  ];
  return split(total, rest, toPriced(own, prices), charges);
}

/** So many units that may have a price of their own. */
type Special = readonly [count: number | undefined, unit: PriceUnit];

function toPriced(special: readonly Special[], prices: UnitPrices): Charge[] {
  return special.flatMap(([count = 0, unit]) => {
    const price = prices[unit];
    return count === 0 || price === undefined ? [] : [{ unit, count, price }];
  });
}

/** Charges the special tokens at their own price and the rest at the common one, and adds what it charges to `charges`. */
function split(total: number, common: Omit<Charge, 'count'>, special: readonly Charge[], charges: Charge[]): bigint {
  let rest = total;
  let cost = 0n;
  const own: Charge[] = [];
  for (const { unit, count, price } of special) {
    // A count beyond the total is upstream's mistake; no token is charged twice for it.
    const charged = Math.min(count, rest);
    rest -= charged;
    cost += BigInt(charged) * price;
    if (charged > 0) own.push({ unit, count: charged, price });
  }
  if (rest > 0) charges.push({ ...common, count: rest });
  charges.push(...own);
  return cost + BigInt(rest) * common.price;
}

/** Adds charges up: those of the same unit at the same price are one. */
export function addCharges(a: readonly Charge[], b: readonly Charge[]): Charge[] {
  const sum = [...a];
  for (const charge of b) {
    const at = sum.findIndex(({ unit, price }) => unit === charge.unit && price === charge.price);
    const same = sum[at];
    if (same === undefined) sum.push(charge);
    else sum[at] = { ...same, count: same.count + charge.count };
  }
  return sum;
}

/** Texts of prices: calls have the same few again and again. */
const priceTexts = new Map<bigint, string>();
const MAX_PRICE_TEXTS = 10_000;

/** A price as decimal text, as configurations have it. */
export function toPriceText(atto: bigint): string {
  let text = priceTexts.get(atto);
  if (text !== undefined) return text;
  text = writePrice(atto);
  if (priceTexts.size >= MAX_PRICE_TEXTS) priceTexts.clear();
  priceTexts.set(atto, text);
  return text;
}

function writePrice(atto: bigint): string {
  const digits = atto.toString().padStart(19, '0');
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '');
}

/** The number nearest to an exact amount. Above 2^53 a division would round twice; parsing decimal text does not. */
export function attoToUsd(atto: bigint): number {
  if (atto <= Number.MAX_SAFE_INTEGER) return Number(atto) / 1e18;
  const digits = atto.toString().padStart(19, '0');
  return Number(`${digits.slice(0, -18)}.${digits.slice(-18)}`);
}

export function attoToNano(atto: bigint): number {
  const whole = atto / ATTO_PER_NANO;
  const rest = (atto % ATTO_PER_NANO) * 2n;
  const isUp = rest > ATTO_PER_NANO || (rest === ATTO_PER_NANO && whole % 2n === 1n);
  return Number(isUp ? whole + 1n : whole);
}

/** A unit that is missing has no known price. */
export type UnitPrices = { readonly [unit in PriceUnit]?: bigint };

/** Prices that replace the common ones under conditions, ready to be looked up. */
interface PriceOverride {
  readonly minPromptTokens: number | null;
  /** Minutes since midnight UTC, half-open; null at any time. */
  readonly window: { readonly start: number; readonly end: number } | null;
  /** 0 is Sunday; null on every day. */
  readonly days: ReadonlySet<number> | null;
  readonly prices: UnitPrices;
}

/** Numbers of the days, as in `Date`. */
const DAY_NUMBERS = { sunday: 0, monday: 1, tuesday: 2, wednesday: 3, thursday: 4, friday: 5, saturday: 6 } as const;

/** Reads the conditions of an override; its prices are read already. */
function toPriceOverride(override: PricingOverride, prices: UnitPrices): PriceOverride {
  const { min_prompt_tokens: minPromptTokens, utc_start: start, utc_end: end, utc_days: days } = override;
  return {
    minPromptTokens: minPromptTokens ?? null,
    window: start === undefined || end === undefined ? null : { start: toMinutes(start), end: toMinutes(end) },
    days: days === undefined ? null : new Set(days.map((day) => DAY_NUMBERS[day])),
    prices,
  };
}

const toMinutes = (hhmm: number): number => Math.floor(hhmm / 100) * 60 + (hhmm % 100);

/** Whether a call of so many prompt tokens that ended at a time (Unix milliseconds) is charged by an override. */
function appliesTo({ minPromptTokens, window, days }: PriceOverride, promptTokens: number, at: number): boolean {
  if (minPromptTokens !== null && promptTokens <= minPromptTokens) return false;
  if (window === null && days === null) return true;
  const date = new Date(at);
  if (days !== null && !days.has(date.getUTCDay())) return false;
  if (window === null) return true;
  const minute = date.getUTCHours() * 60 + date.getUTCMinutes();
  return window.start <= window.end
    ? minute >= window.start && minute < window.end
    : minute >= window.start || minute < window.end;
}
