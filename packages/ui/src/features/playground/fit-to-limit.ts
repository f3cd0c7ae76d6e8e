import type { ChatCompletionRequest, ModelEndpoint } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { type Caller, callApi } from '../../api/call-api.ts';
import { queryClient } from '../../api/query-client.ts';

/**
 * The gateway reserves what a call may cost at most, so that parallel calls cannot pass a limit together. Without
 * `max_tokens` that is the longest completion of the model, which for a large one costs more than a small limit. The
 * playground therefore asks for a completion that the limit of its key has room for, and says so.
 */
export interface Allowance {
  /** USD that the key may still spend. */
  readonly leftUsd: number;
  /** The endpoints that may be called. The dearest of them decides. */
  readonly endpoints: readonly AllowedEndpoint[];
}

interface AllowedEndpoint extends Pick<ModelEndpoint, 'max_completion_tokens' | 'pricing'> {
  /** 0 or null where it is not known. */
  readonly context_length: number | null;
}

/** What a caller may spend on a model; null where its key has no limit. Requested before each call. */
export const allowanceQuery = (caller: Caller, model: string) =>
  queryOptions({
    // With the keys, because a changed limit changes it.
    queryKey: ['keys', 'allowance', caller.key ?? caller.keyHash ?? '', model],
    staleTime: 0,
    retry: false,
    queryFn: async ({ signal }): Promise<Allowance | null> => {
      const path = model.split('/').map(encodeURIComponent).join('/');
      const { data: key } = await callApi<{ data: { limit_remaining: number | null } }>('/api/v1/key', {
        caller,
        signal,
      });
      if (key.limit_remaining === null) return null;
      const { data } = await callApi<{ data: { endpoints: readonly AllowedEndpoint[] } }>(
        `/api/v1/models/${path}/endpoints`,
        { caller, signal },
      );
      return { leftUsd: key.limit_remaining, endpoints: data.endpoints };
    },
  });

/**
 * The request with a `max_tokens` that the limit of the key has room for, where the request has none and needs one.
 * `among` is the number of requests that share the allowance.
 */
export async function fitToLimit(
  request: ChatCompletionRequest,
  caller: Caller,
  among = 1,
): Promise<ChatCompletionRequest> {
  // Where the allowance is not known, the gateway says what is wrong with the call itself.
  const allowance = await queryClient.fetchQuery(allowanceQuery(caller, request.model ?? '')).catch(() => null);
  return fitInto(allowance, request, among);
}

/** The same for an allowance that is known. */
export function fitInto(allowance: Allowance | null | undefined, request: ChatCompletionRequest, among = 1) {
  if (allowance == null || (request.max_tokens ?? request.max_completion_tokens) != null) return request;
  // The other half is for the calls that are under way, and the next one.
  const most = findMostTokens(request, { ...allowance, leftUsd: allowance.leftUsd / 2 / among });
  return most === null ? request : { ...request, max_tokens: most };
}

/** USD that the longest completion of a model costs at one of its endpoints; null where that is not known. */
export function toLongestUsd({ pricing, max_completion_tokens: most, context_length: context }: AllowedEndpoint) {
  const price = dearestOf(pricing, COMPLETION_UNITS);
  const longest = most ?? (context || null);
  return longest === null || price === null ? null : price * longest;
}

/** Null where the longest completion fits, and where there is no room for any: then the gateway says what is missing. */
function findMostTokens(request: ChatCompletionRequest, { leftUsd, endpoints }: Allowance): number | null {
  let fewest = Number.POSITIVE_INFINITY;
  for (const endpoint of endpoints) {
    const longestUsd = toLongestUsd(endpoint);
    const price = dearestOf(endpoint.pricing, COMPLETION_UNITS);
    // Under a limit the gateway itself leaves out what has no price.
    if (price === null || price === 0) continue;
    const usd = leftUsd - toPromptUsd(request, endpoint);
    if (longestUsd === null || longestUsd > usd) fewest = Math.min(fewest, usd / price);
  }
  return Number.isFinite(fewest) && fewest >= 1 ? toRound(fewest) : null;
}

/** Down to two digits, which people read as chosen: 6600, not 6664. */
function toRound(tokens: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(tokens)) - 1);
  return Math.floor(tokens / unit) * unit;
}

type Pricing = ModelEndpoint['pricing'];
type Unit = Extract<Exclude<keyof Pricing, 'overrides'>, string>;

const PROMPT_UNITS: readonly Unit[] = [
  'prompt',
  'input_cache_read',
  'input_cache_write',
  'input_cache_write_1h',
  'image_token',
  'audio',
  'input_audio_cache',
];
const COMPLETION_UNITS: readonly Unit[] = ['completion', 'internal_reasoning', 'image_output', 'audio_output'];

/** The highest price a unit, at any time and for any length of the prompt; null where it is not known. */
function dearestOf({ overrides = [], ...prices }: Pricing, units: readonly Unit[]): number | null {
  if (!(Number(prices.prompt) >= 0) || !(Number(prices.completion) >= 0)) return null;
  const all = [prices, ...overrides].flatMap((held: Readonly<Record<string, unknown>>) =>
    units.map((unit) => Number(held[unit] ?? 0)),
  );
  return Math.max(0, ...all);
}

/** What the gateway takes an image, and the tools, to need at most. */
const TOKENS_AN_IMAGE = 50_000;
const TOKENS_FOR_TOOLS = 1000;

/** As the gateway bounds it: a token is at least one byte, and what cannot be measured fills the context. */
function toPromptUsd(request: ChatCompletionRequest, { pricing, context_length: context }: AllowedEndpoint): number {
  let media = 0;
  let images = 0;
  const messages = request.messages.map((message) => {
    if (!Array.isArray(message.content)) return message;
    const texts = message.content.filter(({ type }) => type === 'text');
    const pictures = message.content.filter(({ type }) => type === 'image_url').length;
    images += pictures;
    media += pictures * TOKENS_AN_IMAGE + (message.content.length - texts.length - pictures) * (context ?? 0);
    return { ...message, content: texts };
  });
  const bytes = new TextEncoder().encode(JSON.stringify({ ...request, messages })).length;
  const tokens = bytes + Math.min(media, context || media) + (request.tools?.length ? TOKENS_FOR_TOOLS : 0);
  const each = Number(pricing.request) + images * Number(pricing.image);
  return tokens * (dearestOf(pricing, PROMPT_UNITS) ?? 0) + Math.max(0, each);
}
