import { takesNullCost } from '../../calls/attempt.ts';
import { estimateUsage } from '../../calls/texts.ts';
import type { Endpoint } from '../../catalog/catalog.ts';
import { type Cost, costOf, toReportedCost } from '../../catalog/prices.ts';
import type { Usage } from '../../wire/chat-chunk.ts';
import type { ChatMessage } from '../../wire/chat-request.ts';
import type { EndedCall, ToolStep } from '../ended-call.ts';
import type { CompletionAccumulator } from './completion-accumulator.ts';

/** One completion of one endpoint. A call that runs tools has several, each for the messages up to then. */
export interface Turn {
  readonly endpoint: Endpoint;
  readonly messages: readonly ChatMessage[];
  /** May still grow. */
  readonly completion: CompletionAccumulator;
}

/** Usage and its cost; null when a price is not known. */
export interface Spending {
  readonly usage: Usage;
  readonly cost: Cost | null;
}

/**
 * Returns the spending of a turn so far. The usage of a completion without counts is estimated. `at` is in Unix
 * milliseconds.
 */
export function spendingOf(turn: Turn, at: number): Spending {
  const { messages, completion } = turn;
  return spendingFor(turn, completion.usage ?? estimateUsage(messages, completion.weigh()), at);
}

/** Returns the spending of a turn that has used this. */
export function spendingFor({ endpoint, messages, completion }: Turn, usage: Usage, at: number): Spending {
  const images = endpoint.prices.image === undefined ? 0 : countParts(messages, 'image_url');
  const listed = costOf(endpoint.prices, usage, { images, at, hasSpokenOutput: completion.isSpoken });
  const { upstreamCostUsd: reported, upstreamCosts } = completion;
  return { usage, cost: reported === undefined ? listed : toReportedCost(reported, upstreamCosts ?? {}, listed) };
}

/** Sums the spending of turns. Each is charged separately, because prices may depend on the length of a prompt. */
export function sumSpending(first: Spending, others: readonly Spending[]): Spending {
  return others.reduce(addSpending, first);
}

export function countParts(messages: readonly ChatMessage[], type: string): number {
  let count = 0;
  for (const { content } of messages) {
    if (Array.isArray(content)) for (const part of content) if (part.type === type) count += 1;
  }
  return count;
}

function addSpending(a: Spending, b: Spending): Spending {
  return {
    usage: addUsage(a.usage, b.usage),
    cost: a.cost === null || b.cost === null ? null : addCost(a.cost, b.cost),
  };
}

function addCost(a: Cost, b: Cost): Cost {
  // Sums of decimal fractions are not exact in binary; ledgers use billionths anyway.
  const add = (x: number, y: number): number => Math.round((x + y) * 1e15) / 1e15;
  const addKnown = (x: number | null, y: number | null): number | null => (x === null || y === null ? null : add(x, y));
  return {
    usd: add(a.usd, b.usd),
    promptUsd: addKnown(a.promptUsd, b.promptUsd),
    completionUsd: addKnown(a.completionUsd, b.completionUsd),
    upstreamUsd: addKnown(a.upstreamUsd, b.upstreamUsd),
    nanoUsd: a.nanoUsd + b.nanoUsd,
  };
}

function addUsage(a: Usage, b: Usage): Usage {
  const prompt = addCounts(a.prompt_tokens_details, b.prompt_tokens_details);
  const completion = addCounts(a.completion_tokens_details, b.completion_tokens_details);
  const tools = addCounts(a.server_tool_use_details, b.server_tool_use_details);
  return {
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
    ...((a.estimated === true || b.estimated === true) && { estimated: true }),
    ...(prompt && { prompt_tokens_details: prompt }),
    ...(completion && { completion_tokens_details: completion }),
    ...(tools && { server_tool_use_details: tools }),
    ...((a.is_byok === true || b.is_byok === true) && { is_byok: true }),
  };
}

/** A count that only one side has is taken from that side. */
function addCounts<Counts extends Readonly<Record<string, number | undefined>>>(
  a: Counts | undefined,
  b: Counts | undefined,
): Counts | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const sum: Record<string, number | undefined> = { ...a };
  for (const [name, count] of Object.entries(b)) if (count !== undefined) sum[name] = (sum[name] ?? 0) + count;
  return sum as Counts;
}

/**
 * Usage in the form that the caller receives. Details without their first count are left out, because existing clients
 * reject the whole response for them (seen in the AI SDK's provider, 3.1).
 */
export function toPublicUsage(
  counted: Usage,
  { call, cost, endpoint, conversation }: Pick<EndedCall, 'call' | 'cost' | 'endpoint' | 'conversation'>,
): Usage {
  const usage = withToolUse(counted, conversation?.steps ?? []);
  const told: Usage = { ...usage };
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage;
  if (prompt !== undefined && prompt.cached_tokens === undefined) delete told.prompt_tokens_details;
  if (completion !== undefined && completion.reasoning_tokens === undefined) delete told.completion_tokens_details;
  told.is_byok = endpoint?.provider.byok === true || usage.is_byok === true;
  const { server_tool_use_details: tools } = usage;
  if (tools !== undefined) told.server_tool_use = { web_search_requests: tools.web_search_requests };
  if (cost !== null) {
    told.cost = cost.usd;
    // Clients insist on both parts.
    if (cost.promptUsd !== null && cost.completionUsd !== null) {
      told.cost_details = {
        upstream_inference_cost: cost.upstreamUsd,
        upstream_inference_prompt_cost: cost.promptUsd,
        upstream_inference_completions_cost: cost.completionUsd,
      };
    }
  } else if (takesNullCost(call.labels.userAgent)) told.cost = null;
  return told;
}

function withToolUse(usage: Usage, steps: readonly ToolStep[]): Usage {
  if (steps.length === 0) return usage;
  return { ...usage, server_tool_use_details: toToolUse(steps, usage.server_tool_use_details) };
}

type ToolUse = NonNullable<Usage['server_tool_use_details']>;

/** Counts the steps, on top of what the provider's own tools have used. */
function toToolUse(steps: readonly ToolStep[], own: ToolUse | undefined): ToolUse {
  const run = steps.filter(({ wasRun }) => wasRun);
  return {
    tool_calls_requested: steps.length,
    tool_calls_executed: run.length,
    web_search_requests: (own?.web_search_requests ?? 0) + run.filter(({ tool }) => tool === 'web_search').length,
  };
}
