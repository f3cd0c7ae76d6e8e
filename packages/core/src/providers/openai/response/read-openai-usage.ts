import { isObject, type Unchecked, readCount } from '../../../foundation/parse.ts';
import type { ChatChunk, UpstreamCosts, Usage } from '../../../wire/chat-chunk.ts';

/** More than any call costs: a cost beyond it is a mistake, and would spoil sums. */
const MAX_COST_USD = 1e6;
const TICKS_PER_USD = 1e10;

export interface ReadUsage extends Pick<ChatChunk, 'upstreamCostUsd' | 'upstreamCosts'> {
  readonly usage: Usage;
}

/**
 * Undefined when there are no plausible counts; missing ones stay missing. Cached and reasoning tokens are part of the
 * prompt and the completion on this wire; where the numbers show that a server counts them separately, they are added.
 */
export function readOpenAiUsage(value: unknown): ReadUsage | undefined {
  if (!isObject(value)) return undefined;
  const sent = readCount(value['prompt_tokens']);
  const reported = readCount(value['completion_tokens']);
  if (sent === undefined || reported === undefined) return undefined;

  const promptDetails = readDetails(value['prompt_tokens_details'], [
    'cached_tokens',
    'cache_write_tokens',
    'audio_tokens',
    'video_tokens',
  ]);
  // DeepSeek and Moonshot report them beside the details, Alibaba has its own name for writes.
  const cached = readCount(value['prompt_cache_hit_tokens']) ?? readCount(value['cached_tokens']);
  if (cached !== undefined) promptDetails.cached_tokens ??= cached;
  const written = readCount(detailsOf(value)['cache_creation_input_tokens']);
  if (written !== undefined) promptDetails.cache_write_tokens ??= written;
  const completionDetails = readDetails(value['completion_tokens_details'], [
    'reasoning_tokens',
    'audio_tokens',
    'image_tokens',
    'accepted_prediction_tokens',
    'rejected_prediction_tokens',
  ]);
  const reasoned = readCount(value['reasoning_tokens']);
  if (reasoned !== undefined) completionDetails.reasoning_tokens ??= reasoned;
  const prompt = withCached(sent, promptDetails.cached_tokens);
  const completion = withReasoning(
    reported,
    completionDetails.reasoning_tokens,
    sent,
    readCount(value['total_tokens']),
  );
  const usage: Usage = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(Object.keys(promptDetails).length > 0 && { prompt_tokens_details: promptDetails }),
    ...(Object.keys(completionDetails).length > 0 && { completion_tokens_details: completionDetails }),
    ...readToolUse(value),
    ...(typeof value['is_byok'] === 'boolean' && { is_byok: value['is_byok'] }),
  };
  const costs = readCosts(value);
  const charged = readCost(value);
  if (charged === undefined) return { usage };
  // With keys of its own, the account pays the provider behind the upstream beside what the upstream charges.
  const beside = usage.is_byok === true ? (costs?.totalUsd ?? 0) : 0;
  return { usage, upstreamCostUsd: charged + beside, ...(costs && { upstreamCosts: costs }) };
}

/** Reads the use of tools that upstream itself ran, in either form. */
function readToolUse(value: Unchecked): Pick<Usage, 'server_tool_use_details'> {
  const { server_tool_use_details: details, server_tool_use: older } = value;
  const searches = readIn(details, 'web_search_requests') ?? readIn(older, 'web_search_requests');
  const requested = readIn(details, 'tool_calls_requested');
  const executed = readIn(details, 'tool_calls_executed');
  if (searches === undefined && requested === undefined && executed === undefined) return {};
  return {
    server_tool_use_details: {
      web_search_requests: searches ?? 0,
      ...(requested !== undefined && { tool_calls_requested: requested }),
      ...(executed !== undefined && { tool_calls_executed: executed }),
    },
  };
}

const readIn = (object: unknown, field: string): number | undefined =>
  isObject(object) ? readCount(object[field]) : undefined;

/** Upstream's own split of its cost: OpenRouter's in `cost_details`, Perplexity's in the cost itself. */
function readCosts({ cost, cost_details: details }: Unchecked): UpstreamCosts | undefined {
  const [promptUsd, completionUsd, totalUsd] = isObject(details)
    ? COST_FIELDS.map((field) => readUsd(details[field]))
    : isObject(cost)
      ? [readUsd(cost['input_tokens_cost']), readUsd(cost['output_tokens_cost'])]
      : [];
  if (promptUsd === undefined && completionUsd === undefined && totalUsd === undefined) return undefined;
  return { totalUsd, promptUsd, completionUsd };
}

const COST_FIELDS = [
  'upstream_inference_prompt_cost',
  'upstream_inference_completions_cost',
  'upstream_inference_cost',
] as const;

/** The cost that upstream reports, in USD: OpenRouter's and Perplexity's `cost`, xAI's ticks of 10^-10 USD. */
function readCost({ cost, cost_in_usd_ticks: ticks }: Unchecked): number | undefined {
  const usd = typeof ticks === 'number' ? ticks / TICKS_PER_USD : isObject(cost) ? cost['total_cost'] : cost;
  return readUsd(usd);
}

const readUsd = (usd: unknown): number | undefined =>
  typeof usd === 'number' && usd >= 0 && usd <= MAX_COST_USD ? usd : undefined;

/** More cached tokens than prompt tokens cannot be part of them: xAI counts them apart for some models. */
function withCached(prompt: number, cached: number | undefined): number {
  return cached !== undefined && cached > prompt ? prompt + cached : prompt;
}

/**
 * Some providers (xAI) count reasoning separately, and only their total shows it: it then exceeds prompt and completion
 * by exactly the reasoning. Others (DeepInfra, for some models) report more reasoning than completion.
 */
function withReasoning(
  completion: number,
  reasoning: number | undefined,
  prompt: number,
  total: number | undefined,
): number {
  const isApart = reasoning !== undefined && (reasoning > completion || total === prompt + completion + reasoning);
  return isApart ? completion + reasoning : completion;
}

const detailsOf = ({ prompt_tokens_details: details }: Unchecked): Unchecked => (isObject(details) ? details : {});

function readDetails<Name extends string>(value: unknown, names: readonly Name[]): { [name in Name]?: number } {
  const details: { [name in Name]?: number } = {};
  if (!isObject(value)) return details;
  for (const name of names) {
    const count = readCount(value[name]);
    if (count !== undefined) details[name] = count;
  }
  return details;
}
