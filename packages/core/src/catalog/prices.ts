import type { Usage } from '../schemas/chat-chunk.ts';
import type { EndpointPricing } from './model-definition.ts';

/** Prices are counted in units of 10^-18 USD, so that any decimal text that occurs is exact. */
const ATTO_PER_USD = 10n ** 18n;
const ATTO_PER_NANO = 10n ** 9n;

/** Prices of one endpoint, exact. A unit that is missing has no known price. */
export type Prices = { readonly [unit in keyof EndpointPricing]?: bigint };

/** What a call cost. */
export interface Cost {
  /** USD, as the wire shows it. */
  readonly usd: number;
  readonly promptUsd: number;
  readonly completionUsd: number;
  /** Billionths of a dollar, half rounded to even: what ledgers add up. */
  readonly nanoUsd: number;
}

/** Reads prices from decimal text. Throws `RangeError` for text that is no plain decimal number. */
export function parsePrices(pricing: EndpointPricing | undefined): Prices {
  const prices: Record<string, bigint> = {};
  for (const [unit, text] of Object.entries(pricing ?? {})) {
    if (text !== undefined) prices[unit] = parsePrice(text);
  }
  return prices;
}

function parsePrice(text: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,18})\d*)?$/.exec(text);
  if (match === null) throw new RangeError(`"${text}" is not a decimal price`);
  return BigInt(match[1] as string) * ATTO_PER_USD + BigInt((match[2] ?? '').padEnd(18, '0'));
}

/**
 * The exact cost of a call; null when the price of tokens is not known. Cached and written tokens are part of the
 * prompt, reasoning and image tokens part of the completion: each is charged once, at its own price where it has one.
 */
export function costOf(prices: Prices, usage: Usage, promptImages: number): Cost | null {
  if (prices.prompt === undefined || prices.completion === undefined) return null;
  const promptPrice = prices.prompt;
  const completionPrice = prices.completion;
  const input = usage.prompt_tokens_details;
  const output = usage.completion_tokens_details;

  let prompt = input
    ? split(usage.prompt_tokens, promptPrice, [
        [input.cached_tokens, prices.input_cache_read],
        [input.cache_write_tokens, prices.input_cache_write],
        [input.audio_tokens, prices.audio],
      ])
    : BigInt(usage.prompt_tokens) * promptPrice;
  if (prices.image !== undefined) prompt += BigInt(promptImages) * prices.image;
  if (prices.request !== undefined) prompt += prices.request;
  const completion = output
    ? split(usage.completion_tokens, completionPrice, [
        [output.reasoning_tokens, prices.internal_reasoning],
        [output.image_tokens, prices.image_output],
        [output.audio_tokens, prices.audio_output],
      ])
    : BigInt(usage.completion_tokens) * completionPrice;
  return {
    usd: toUsd(prompt + completion),
    promptUsd: toUsd(prompt),
    completionUsd: toUsd(completion),
    nanoUsd: toNanoUsd(prompt + completion),
  };
}

/** A cost that upstream itself reported, in the same shape. */
export function toReportedCost(usd: number): Cost {
  return { usd, promptUsd: usd, completionUsd: 0, nanoUsd: Math.round(usd * 1e9) };
}

/** Charges the special tokens at their own price and the rest at the common one. */
function split(
  total: number,
  price: bigint,
  special: readonly (readonly [count: number | undefined, price: bigint | undefined])[],
): bigint {
  let rest = total;
  let cost = 0n;
  for (const [count, ownPrice] of special) {
    if (count === undefined || count === 0 || ownPrice === undefined) continue;
    // A count beyond the total would be upstream's mistake; nothing is charged twice for it.
    const charged = Math.min(count, rest);
    rest -= charged;
    cost += BigInt(charged) * ownPrice;
  }
  return cost + BigInt(rest) * price;
}

/** The number nearest to an exact amount. Above 2^53 a division would round twice; parsing decimal text does not. */
function toUsd(atto: bigint): number {
  if (atto <= Number.MAX_SAFE_INTEGER) return Number(atto) / 1e18;
  const digits = atto.toString().padStart(19, '0');
  return Number(`${digits.slice(0, -18)}.${digits.slice(-18)}`);
}

function toNanoUsd(atto: bigint): number {
  const whole = atto / ATTO_PER_NANO;
  const rest = (atto % ATTO_PER_NANO) * 2n;
  const isUp = rest > ATTO_PER_NANO || (rest === ATTO_PER_NANO && whole % 2n === 1n);
  return Number(isUp ? whole + 1n : whole);
}
