import type { CallBound, EndpointConstraint, TokenBound } from '../calls/call-kind.ts';
import type { ModelCall } from '../calls/model-call.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { worstFeeOf } from '../catalog/own-keys.ts';
import { areImagesPriced, type Prices, type UnitPrices } from '../catalog/prices.ts';
import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import { type Budget, spendersOf, toPayer } from './budgets.ts';
import type { Ledger, WorstCase } from './ledger.ts';

/** Excludes endpoints at which the cost of a call has no bound: they cannot be used within a budget. */
export function withinBounds(bound: CallBound): EndpointConstraint {
  return { rule: 'cost_unknown', excludes: (endpoint) => worstCaseNanoUsd(endpoint, bound) === null };
}

export interface Reservation {
  readonly budgets: readonly Budget[];
  /** All endpoints that may be called. */
  readonly endpoints: readonly Endpoint[];
  readonly bound: CallBound;
}

/**
 * Holds the cost of a call at its most expensive endpoint until its generation is recorded. Throws `payment_required`
 * or `permission_denied` when the amount does not fit into a budget. Returns the held amount.
 */
export function reserveCall(
  { id, principal }: Pick<ModelCall, 'id' | 'principal'>,
  { budgets, endpoints, bound }: Reservation,
  ledger: Pick<Ledger, 'reserve'>,
): Awaitable<WorstCase> {
  const worst = worstOf(endpoints, (endpoint) => worstCaseNanoUsd(endpoint, bound) ?? 0);
  return whenKnown(ledger.reserve({ id, spenders: spendersOf(toPayer(principal)), ...worst }, budgets), () => worst);
}

/** The worst case over several endpoints, of which one will be charged. */
function worstOf(endpoints: readonly Endpoint[], costOf: (endpoint: Endpoint) => number): WorstCase {
  let creditsNanoUsd: number | null = null;
  let anyNanoUsd = 0;
  for (const endpoint of endpoints) {
    const cost = costOf(endpoint);
    if (endpoint.provider.byok === true) {
      const own = ownWorstCase(cost, endpoint);
      anyNanoUsd = Math.max(anyNanoUsd, own.anyNanoUsd);
      if (own.creditsNanoUsd !== null) creditsNanoUsd = Math.max(creditsNanoUsd ?? 0, own.creditsNanoUsd);
      continue;
    }
    anyNanoUsd = Math.max(anyNanoUsd, cost);
    creditsNanoUsd = Math.max(creditsNanoUsd ?? 0, cost);
  }
  return { creditsNanoUsd, anyNanoUsd };
}

/** What to hold for a bill that the caller pays: of that, the account pays the fee. */
export function ownWorstCase(billNanoUsd: number, { feeMillionths }: Pick<Endpoint, 'feeMillionths'>): WorstCase {
  if (feeMillionths === undefined) return { creditsNanoUsd: null, anyNanoUsd: billNanoUsd };
  const fee = worstFeeOf(billNanoUsd, feeMillionths);
  return { creditsNanoUsd: fee, anyNanoUsd: billNanoUsd + fee };
}

const ATTO_PER_NANO = 10n ** 9n;

type Unit = keyof UnitPrices;

/**
 * The largest cost of a call at an endpoint, in billionths of a dollar, rounded up, by the highest prices that may
 * apply; null without a bound: a price is missing, or the length of the prompt or completion is not bounded.
 */
export function worstCaseNanoUsd(endpoint: Endpoint, bound: CallBound): number | null {
  const { prices } = endpoint;
  if ('worstCaseNanoUsd' in bound) return bound.worstCaseNanoUsd(prices);
  const { made } = bound;
  const isByImage = made?.isAll === true && areImagesPriced(prices);
  const isOutputPriced = (prices.completion ?? prices.image_output) !== undefined || bound.maxTokens === 0;
  if (!isByImage && (!isPromptPriced(prices, bound) || !isOutputPriced)) return null;
  if (bound.asksForAudio === true && prices.audio_output === undefined) return null;
  const promptTokens = promptTokensOf(endpoint, bound);
  // With a completion price of zero the length of the completion does not matter.
  const outputTokens = outputTokensOf(endpoint, bound);
  if (promptTokens === null && !isFree(prices, PROMPT_UNITS)) return null;
  if (outputTokens === null && !isFree(prices, COMPLETION_UNITS)) return null;
  const dearest = (units: readonly Unit[]): bigint => dearestPrice(prices, units, promptTokens);
  const promptUnits = PROMPT_UNITS.filter((unit) => bound.hasAudio || !AUDIO_UNITS.includes(unit));
  const atto =
    BigInt(promptTokens ?? 0) * dearest(promptUnits) +
    BigInt(outputTokens ?? 0) * dearest(COMPLETION_UNITS) +
    BigInt(bound.images) * dearest(['image']) +
    (bound.searchUnits === undefined ? 0n : BigInt(bound.searchUnits) * dearest(['search_unit'])) +
    BigInt(made?.images ?? 0) * dearest(['generated_image']) +
    BigInt(made?.megapixels ?? 0) * dearest(['generated_megapixel']) +
    dearest(['request']);
  return Number((atto + ATTO_PER_NANO - 1n) / ATTO_PER_NANO);
}

/** A ranking need not be charged by tokens. */
const isPromptPriced = ({ prompt, search_unit, request }: Prices, { searchUnits }: TokenBound): boolean =>
  prompt !== undefined || (searchUnits !== undefined && (search_unit ?? request) !== undefined);

const AUDIO_UNITS: readonly Unit[] = ['audio', 'input_audio_cache'];
const PROMPT_UNITS: readonly Unit[] = [
  'prompt',
  'input_cache_read',
  'input_cache_write',
  'input_cache_write_1h',
  'image_token',
  ...AUDIO_UNITS,
];
const COMPLETION_UNITS: readonly Unit[] = ['completion', 'internal_reasoning', 'image_output', 'audio_output'];

/** No prompt is longer than what the endpoint reads; that bounds what cannot be measured. */
function promptTokensOf({ contextLength }: Endpoint, { textTokens, mediaTokens }: TokenBound): number | null {
  if (mediaTokens === 0) return textTokens;
  if (contextLength === null) return mediaTokens === null ? null : textTokens + mediaTokens;
  return textTokens + Math.min(mediaTokens ?? contextLength, contextLength);
}

function outputTokensOf(endpoint: Endpoint, { maxTokens, predictedTokens }: TokenBound): number | null {
  const longest = endpoint.maxCompletionTokens ?? endpoint.contextLength;
  const limits = [maxTokens, longest].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.min(...limits) + predictedTokens;
}

function dearestPrice(prices: Prices, units: readonly Unit[], promptTokens: number | null): bigint {
  let dearest = 0n;
  for (const held of [prices, ...overridesFor(prices, promptTokens)]) {
    for (const unit of units) {
      const price = held[unit];
      if (price !== undefined && price > dearest) dearest = price;
    }
  }
  return dearest;
}

function overridesFor({ overrides = [] }: Prices, promptTokens: number | null): readonly UnitPrices[] {
  return overrides.flatMap(({ minPromptTokens, prices }) =>
    promptTokens !== null && minPromptTokens !== null && promptTokens <= minPromptTokens ? [] : [prices],
  );
}

function isFree(prices: Prices, units: readonly Unit[]): boolean {
  return dearestPrice(prices, units, null) === 0n;
}
