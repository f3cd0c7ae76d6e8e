import { attoToUsd, parsePrices, pricesFor, type Prices, type UnitPrices } from '../../catalog/prices.ts';
import { callTimelineOf, type GenerationRecord, type StoredContent } from '../../stores/generations.ts';
import { appOf } from '../../stores/kit/filters.ts';
import type { CacheCause } from '../../wire/cache-report.ts';
import type { StoredCharge } from '../../wire/generation.ts';
import type { PriceUnit } from '../../wire/model-definition.ts';
import { type CachedPrompt, lengthOf, toCachedPrompt } from './prompt-segments.ts';

/** The prices of an endpoint by its id, as records name it; undefined for one that is gone. */
export type FindPrices = (endpointId: string) => Prices | undefined;

/** A call as the doctor sees it. */
export interface CachedCall {
  readonly id: string;
  readonly createdAt: string;
  readonly createdAtMs: number;
  readonly model: string;
  readonly app: string | null;
  readonly endpoint: string | null;
  /** Says whose key and which region were used, as far as that is known. */
  readonly account: string;
  /** The part of an agent's session that has a conversation of its own; null for none. */
  readonly agent: string | null;
  /** Null where it is not stored, or not known on this wire. */
  readonly prompt: CachedPrompt | null;
  readonly characters: number;
  /** Why nothing can be said of the call; null where something can. */
  readonly whyUnknown: string | null;
  readonly promptTokens: number | null;
  readonly readTokens: number | null;
  readonly writtenTokens: number | null;
  readonly prices: UnitPrices;
  /** USD for the prompt, in 10^-18; null where it is not known. */
  readonly costAtto: bigint | null;
}

const PROMPT_UNITS: ReadonlySet<string> = new Set<PriceUnit>([
  'prompt',
  'input_cache_read',
  'input_cache_write',
  'input_cache_write_1h',
  'input_audio_cache',
  'audio',
  'image_token',
]);
const WRITE_UNITS: ReadonlySet<string> = new Set<PriceUnit>(['input_cache_write', 'input_cache_write_1h']);

/** What the doctor needs of a stored call. */
export function readCachedCall(
  { generation }: GenerationRecord,
  content: StoredContent | undefined,
  findPrices: FindPrices,
): CachedCall {
  const attempt = content?.request?.attempts.at(-1);
  const endpoint = attempt?.endpoint ?? generation.provider_responses?.at(-1)?.endpoint_id ?? null;
  const prompt = attempt === undefined ? null : toCachedPrompt(attempt);
  const charges = callTimelineOf(content)?.charges;
  const createdAtMs = Date.parse(generation.created_at);
  const promptTokens = generation.native_tokens_prompt;
  const listed = endpoint === null ? undefined : findPrices(endpoint);
  const endedAtMs = createdAtMs + (generation.generation_time ?? 0);
  const held = listed === undefined ? {} : pricesFor(listed, promptTokens ?? 0, endedAtMs);
  const { is_byok: isByok, upstream_is_byok: isUpstreamByok, called_region: region, data_region: data } = generation;
  const { provider_key: key } = generation;
  return {
    id: generation.id,
    createdAt: generation.created_at,
    createdAtMs,
    model: generation.model,
    app: generation.http_referer ?? appOf(generation),
    endpoint,
    account: [isByok, isUpstreamByok ?? false, region ?? '', data, key ?? '', prompt?.cacheKey ?? ''].join(' '),
    agent: content?.request?.headers['x-claude-code-agent-id'] ?? null,
    prompt,
    characters: prompt === null ? 0 : lengthOf(prompt.segments),
    whyUnknown: toWhyUnknown(generation, content, prompt),
    promptTokens,
    readTokens: generation.native_tokens_cached,
    writtenTokens: charges === undefined ? null : sumOf(charges, WRITE_UNITS),
    prices: { ...held, ...pricesOf(charges ?? []) },
    costAtto: charges === undefined ? null : costOf(charges),
  };
}

function toWhyUnknown(
  generation: GenerationRecord['generation'],
  content: StoredContent | undefined,
  prompt: CachedPrompt | null,
): string | null {
  if (generation.response_cache_source_id !== null) {
    return 'The gateway answered this call from its own cache, so that no provider saw the prompt.';
  }
  if (content === undefined) {
    return 'The content of this call is not stored: it was deleted, was too long, or contents are not stored for its key or workspace.';
  }
  if (content.request === undefined) {
    return 'Only the prompt and the completion are stored: the call was recorded by a version that did not store requests.';
  }
  if (content.request.attempts.length === 0) return 'The call ended before a request was sent to a provider.';
  if (turnsOf(generation) > 1) {
    return 'The call took several turns at a provider, and only their sums are stored, so that no turn can be told apart.';
  }
  if (prompt === null) return 'The doctor does not know how this kind of provider caches prompts.';
  if (generation.native_tokens_prompt === null || generation.usage_estimated) {
    return 'The provider did not say how many tokens the prompt had.';
  }
  return null;
}

/** The turns that a provider has charged: those of a loop of tools, and those that continue what broke off. */
const turnsOf = ({ provider_responses: responses }: GenerationRecord['generation']): number =>
  responses?.filter(({ error, status }) => error === undefined || status === 200).length ?? 0;

const sumOf = (charges: readonly StoredCharge[], units: ReadonlySet<string>): number =>
  charges.reduce((sum, { unit, count }) => (units.has(unit) ? sum + count : sum), 0);

const priceOf = (text: string): bigint => parsePrices({ prompt: text }).prompt ?? 0n;

const costOf = (charges: readonly StoredCharge[]): bigint =>
  charges.reduce(
    (sum, { unit, count, price }) => (PROMPT_UNITS.has(unit) ? sum + BigInt(count) * priceOf(price) : sum),
    0n,
  );

const pricesOf = (charges: readonly StoredCharge[]): UnitPrices =>
  Object.fromEntries(charges.map(({ unit, price }) => [unit, priceOf(price)]));

/** What reading from the cache has saved, in 10^-18 USD; null where a price is not known. */
export function savedAttoOf({ readTokens, prices }: CachedCall): bigint | null {
  if ((readTokens ?? 0) === 0) return readTokens === null ? null : 0n;
  const { prompt, input_cache_read: read = prompt } = prices;
  return prompt === undefined || read === undefined ? null : BigInt(readTokens ?? 0) * (prompt - read);
}

/**
 * What reading so many tokens more would have saved, in 10^-18 USD: tokens that were written to the cache instead, at
 * the price of writing, and the others at the common price. Null where a price is not known.
 */
export function missedAttoOf({ writtenTokens, prices }: CachedCall, tokens: number): bigint | null {
  const { prompt, input_cache_read: read = prompt } = prices;
  if (prompt === undefined || read === undefined) return null;
  const hourly = prices.input_cache_write === undefined ? prices.input_cache_write_1h : prices.input_cache_write;
  const written = Math.min(writtenTokens ?? 0, tokens);
  return BigInt(written) * ((hourly ?? prompt) - read) + BigInt(tokens - written) * (prompt - read);
}

export const toUsdOrNull = (atto: bigint | null): number | null => {
  if (atto === null) return null;
  return atto < 0n ? -attoToUsd(-atto) : attoToUsd(atto);
};

/** The causes where nothing is lost, or nothing can be said. */
export const LOSES_NOTHING: ReadonlySet<CacheCause> = new Set(['first_call', 'hit', 'too_short', 'unknown']);
