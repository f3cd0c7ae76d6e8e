import type { Generation, ModelEndpoint, StoredCharge } from '@model-gateway/core/wire';

type Pricing = ModelEndpoint['pricing'];

/** A part of a cost. */
export interface CostPart {
  /** The name of its price in `pricing` of an endpoint. */
  readonly unit: string;
  readonly count: number;
  /** USD a unit, as decimal text. */
  readonly price: string;
  readonly nanoUsd: number;
}

/** A cost with what it is the sum of: parts and difference add up to the total, to the nano-dollar. */
export interface CostExplanation {
  readonly parts: readonly CostPart[];
  readonly totalNanoUsd: number;
  /** What the parts do not account for: prices have changed, or not all counts are stored. */
  readonly differenceNanoUsd: number;
}

/** Prices are counted in units of 10^-18 USD, as the gateway does. */
const ATTO_DIGITS = 18;
const ATTO_PER_NANO = 10n ** 9n;
export const NANO_PER_USD = 1e9;

export const toNanoUsd = (usd: number): number => Math.round(usd * NANO_PER_USD);

/** Reads decimal text; null for what is none, such as `-1` for a price that is not known. */
function toAtto(text: string): bigint | null {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) return null;
  const [, whole = '0', fraction = ''] = match;
  return BigInt(whole + fraction.slice(0, ATTO_DIGITS).padEnd(ATTO_DIGITS, '0'));
}

/** Explains a cost (USD) by its charges. Null where a price cannot be read. */
export function explainCost(charges: readonly StoredCharge[], totalUsd: number): CostExplanation | null {
  const exact: bigint[] = [];
  for (const { count, price } of charges) {
    const atto = toAtto(price);
    if (atto === null) return null;
    // Of seconds there are parts, which are counted by thousandths.
    exact.push((BigInt(Math.round(count * 1000)) * atto) / 1000n);
  }
  const totalNanoUsd = toNanoUsd(totalUsd);
  const sum = exact.reduce((left, right) => left + right, 0n);
  const apart = sum - BigInt(totalNanoUsd) * ATTO_PER_NANO;
  // The total is rounded to a nano-dollar; what is as near as that is the same.
  const isSame = apart < ATTO_PER_NANO && -apart < ATTO_PER_NANO;
  const sumNanoUsd = isSame ? totalNanoUsd : Number((sum + ATTO_PER_NANO / 2n) / ATTO_PER_NANO);
  const shares = apportion(exact, sumNanoUsd);
  return {
    parts: charges.map((charge, at) => ({ ...charge, nanoUsd: shares[at] ?? 0 })),
    totalNanoUsd,
    differenceNanoUsd: totalNanoUsd - sumNanoUsd,
  };
}

/** Rounds amounts so that they add up to a whole: those that lose most are rounded up, or down, first. */
function apportion(exact: readonly bigint[], wholeNano: number): number[] {
  const shares = exact.map((atto) => Number(atto / ATTO_PER_NANO));
  const rest = (at: number): bigint => (exact[at] ?? 0n) % ATTO_PER_NANO;
  let left = wholeNano - shares.reduce((sum, share) => sum + share, 0);
  const order = exact.map((_, at) => at).toSorted((a, b) => (rest(b) > rest(a) ? 1 : rest(b) < rest(a) ? -1 : a - b));
  const first = order[0];
  for (const at of order) {
    if (left <= 0) break;
    shares[at] = (shares[at] ?? 0) + 1;
    left -= 1;
  }
  // The whole may be a nano-dollar apart from the sum.
  if (left !== 0 && first !== undefined) shares[first] = (shares[first] ?? 0) + left;
  return shares;
}

type Counts = Pick<
  Generation,
  | 'tokens_prompt'
  | 'tokens_completion'
  | 'native_tokens_cached'
  | 'native_tokens_reasoning'
  | 'native_tokens_completion_images'
  | 'num_media_prompt'
  | 'server_tool_use_details'
>;

/** The charges of a record at these prices, as far as it has the counts; null where tokens have no price. */
export function chargeAt(listed: Pricing, generation: Counts): StoredCharge[] | null {
  const prompt = generation.tokens_prompt ?? 0;
  const pricing: Readonly<Record<string, unknown>> = { ...listed, ...overridesFor(listed, prompt) };
  const priceOf = (unit: string): string | null => {
    const text = pricing[unit];
    return typeof text === 'string' && toAtto(text) !== null ? text : null;
  };
  const promptPrice = priceOf('prompt');
  const completionPrice = priceOf('completion');
  if (promptPrice === null || completionPrice === null) return null;
  const charges: StoredCharge[] = [];
  const split = (unit: string, price: string, total: number, special: readonly (readonly [string, number])[]): void => {
    let rest = total;
    const own: StoredCharge[] = [];
    for (const [name, wanted] of special) {
      const ownPrice = priceOf(name);
      const count = Math.min(wanted, rest);
      if (ownPrice === null || count <= 0) continue;
      rest -= count;
      own.push({ unit: name, count, price: ownPrice });
    }
    if (rest > 0) charges.push({ unit, count: rest, price });
    charges.push(...own);
  };
  split('prompt', promptPrice, prompt, [['input_cache_read', generation.native_tokens_cached ?? 0]]);
  split('completion', completionPrice, generation.tokens_completion ?? 0, [
    ['internal_reasoning', generation.native_tokens_reasoning ?? 0],
    ['image_output', generation.native_tokens_completion_images ?? 0],
  ]);
  for (const [unit, count] of [
    ['request', 1],
    ['image', generation.num_media_prompt ?? 0],
    ['web_search', generation.server_tool_use_details?.web_search_requests ?? 0],
  ] as const) {
    const price = priceOf(unit);
    if (price !== null && Number(price) > 0 && count > 0) charges.push({ unit, count, price });
  }
  return charges;
}

/** The prices that take the place of others for a long prompt. Those that hold at some hours are left out. */
function overridesFor({ overrides = [] }: Pricing, promptTokens: number): object {
  const held = overrides.filter(
    ({ min_prompt_tokens: least, utc_start: start, utc_days: days }) =>
      least !== undefined && promptTokens > least && start === undefined && days === undefined,
  );
  return Object.assign({}, ...held.map(({ min_prompt_tokens: _, ...prices }) => prices)) as object;
}

const READ_AND_WRITTEN: ReadonlySet<string> = new Set([
  'input_cache_read',
  'input_cache_write',
  'input_cache_write_1h',
]);

/**
 * What the cache has saved in USD, below 0 where writing to it cost more; null where it had no part. `promptPrice` is what
 * a token costs without it; by default, that of the other tokens of the prompt.
 */
export function toCacheSaving(charges: readonly StoredCharge[], promptPrice?: string): number | null {
  const cached = charges.filter(({ unit }) => READ_AND_WRITTEN.has(unit));
  const price = charges.find(({ unit }) => unit === 'prompt')?.price ?? promptPrice;
  const whole = price === undefined ? null : toAtto(price);
  if (cached.length === 0 || whole === null) return null;
  const atto = cached.reduce(
    (sum, charge) => sum + BigInt(charge.count) * (whole - (toAtto(charge.price) ?? whole)),
    0n,
  );
  return Number(atto) / 1e18;
}
