import type { Usage } from '../../schemas/chat-chunk.ts';

type Unchecked = Readonly<Record<string, unknown>>;

/** More than any model reads or writes in one call: a count beyond it is a mistake, and would spoil sums. */
const MAX_COUNT = 1e9;
/** The same for what one call costs. */
const MAX_COST_USD = 1e6;

/**
 * Reads upstream's token counts; undefined when there are none that can be believed. Counts that are missing stay
 * missing. Cached tokens are part of the prompt tokens on this wire.
 */
export function readOpenAiUsage(value: unknown): { usage: Usage; upstreamCostUsd?: number } | undefined {
  if (!isObject(value)) return undefined;
  const prompt = readCount(value['prompt_tokens']);
  const reported = readCount(value['completion_tokens']);
  if (prompt === undefined || reported === undefined) return undefined;

  const promptDetails = readDetails(value['prompt_tokens_details'], [
    'cached_tokens',
    'cache_write_tokens',
    'audio_tokens',
    'video_tokens',
  ]);
  if (promptDetails.cached_tokens === undefined) {
    const hits = readCount(value['prompt_cache_hit_tokens']);
    if (hits !== undefined) promptDetails.cached_tokens = hits;
  }
  const completionDetails = readDetails(value['completion_tokens_details'], [
    'reasoning_tokens',
    'audio_tokens',
    'image_tokens',
    'accepted_prediction_tokens',
    'rejected_prediction_tokens',
  ]);
  const completion = withReasoning(
    reported,
    completionDetails.reasoning_tokens,
    prompt,
    readCount(value['total_tokens']),
  );
  const usage: Usage = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(Object.keys(promptDetails).length > 0 && { prompt_tokens_details: promptDetails }),
    ...(Object.keys(completionDetails).length > 0 && { completion_tokens_details: completionDetails }),
  };
  const cost = value['cost'];
  return typeof cost === 'number' && cost >= 0 && cost <= MAX_COST_USD ? { usage, upstreamCostUsd: cost } : { usage };
}

/**
 * On our wire reasoning tokens are part of the completion tokens. Some providers (xAI) count them apart, and only
 * their total tells: it then exceeds prompt and completion by exactly the reasoning.
 */
function withReasoning(
  completion: number,
  reasoning: number | undefined,
  prompt: number,
  total: number | undefined,
): number {
  return reasoning !== undefined && total === prompt + completion + reasoning ? completion + reasoning : completion;
}

function readDetails<Name extends string>(value: unknown, names: readonly Name[]): { [name in Name]?: number } {
  const details: { [name in Name]?: number } = {};
  if (!isObject(value)) return details;
  for (const name of names) {
    const count = readCount(value[name]);
    if (count !== undefined) details[name] = count;
  }
  return details;
}

/** A count is a whole number from 0 up; anything else a provider sends would spoil a budget. */
function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT ? value : undefined;
}

function isObject(value: unknown): value is Unchecked {
  return typeof value === 'object' && value !== null;
}
