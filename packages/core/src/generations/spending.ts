import { takesNullCost } from '../calls/attempt.ts';
import { estimateUsage, TOKENS_A_MESSAGE, weighText } from '../calls/texts.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { feeOf } from '../catalog/own-keys.ts';
import { addCharges, type Charge, type Cost, costOf, toPriceText, toReportedCost } from '../catalog/prices.ts';
import { toUsd } from '../foundation/money.ts';
import type { GenerationRecord, RunningCall, RunningFigures } from '../stores/store.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { ChatMessage } from '../wire/chat-request.ts';
import type { StoredCharge } from '../wire/generation.ts';
import type { CompletionAccumulator } from './completion-accumulator.ts';
import type { EndedCall, ToolStep } from './ended-call.ts';

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
function spendingFor({ endpoint, messages, completion }: Turn, usage: Usage, at: number): Spending {
  const images = endpoint.prices.image === undefined ? 0 : countParts(messages, 'image_url');
  const listed = costOf(endpoint.prices, usage, {
    images,
    at,
    hasSpokenOutput: completion.isSpoken,
    made: completion.made,
  });
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
  const addAnyKnown = (x: number | null, y: number | null): number | null =>
    x === null ? y : y === null ? x : add(x, y);
  const addKnown = (x: number | null, y: number | null): number | null => (x === null || y === null ? null : add(x, y));
  return {
    usd: add(a.usd, b.usd),
    promptUsd: addKnown(a.promptUsd, b.promptUsd),
    completionUsd: addKnown(a.completionUsd, b.completionUsd),
    cacheDiscountUsd: addAnyKnown(a.cacheDiscountUsd, b.cacheDiscountUsd),
    upstreamUsd: addKnown(a.upstreamUsd, b.upstreamUsd),
    nanoUsd: a.nanoUsd + b.nanoUsd,
    charges: a.charges.length === 0 || b.charges.length === 0 ? [] : addCharges(a.charges, b.charges),
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
  { call, cost, endpoint, steps }: Pick<EndedCall, 'call' | 'cost' | 'endpoint' | 'steps'>,
): Usage {
  const usage = withToolUse(counted, steps);
  const told: Usage = { ...usage };
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage;
  if (prompt !== undefined && prompt.cached_tokens === undefined) delete told.prompt_tokens_details;
  if (completion !== undefined && completion.reasoning_tokens === undefined) delete told.completion_tokens_details;
  told.is_byok = endpoint?.provider.byok === true || usage.is_byok === true;
  const { server_tool_use_details: tools } = usage;
  if (tools !== undefined) told.server_tool_use = { web_search_requests: tools.web_search_requests };
  if (cost !== null) {
    // The bill of a stored key is the caller's: it costs the fee here, if any.
    const isOwn = endpoint?.ownKeyId !== undefined;
    told.cost = isOwn ? toUsd(feeOf(cost.nanoUsd, endpoint)) : cost.usd;
    // Clients insist on both parts.
    if (cost.promptUsd !== null && cost.completionUsd !== null) {
      told.cost_details = {
        upstream_inference_cost: cost.upstreamUsd ?? (isOwn ? cost.usd : null),
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

/** The state of a call under way. */
interface RunningState {
  /** The endpoint that is relayed or being asked. */
  readonly endpoint: Endpoint;
  /** At least one. Only the last still changes. */
  readonly turns: readonly Turn[];
  readonly attempts: number;
  readonly upstreamId: string | undefined;
  readonly durationMs: number;
}

/** Measures a call under way, again and again. */
export interface RunningMeter {
  /** `toRecord` is called when a fact has changed. `at` is in Unix milliseconds. */
  read(state: RunningState, at: number, toRecord: () => GenerationRecord): RunningCall;
}

export function createRunningMeter(): RunningMeter {
  const measured: { readonly turn: Turn; readonly meter: TurnMeter }[] = [];
  let known: RunningState | undefined;
  let record: GenerationRecord | undefined;
  return {
    read(state, at, toRecord) {
      const { endpoint, turns, attempts, upstreamId, durationMs } = state;
      const isSame = known?.endpoint === endpoint && known.attempts === attempts && known.upstreamId === upstreamId;
      if (!isSame || record === undefined) record = toRecord();
      known = state;
      for (const [index, turn] of turns.entries()) {
        const before = measured[index]?.turn;
        // The endpoint that begins a turn may not be the one that was asked first.
        const isKnown = before?.endpoint === turn.endpoint && before.completion === turn.completion;
        if (!isKnown) measured[index] = { turn, meter: createTurnMeter(turn) };
      }
      const [first, ...others] = measured.map(({ meter }) => meter.read(at));
      if (first === undefined) throw new TypeError('A call under way has a turn');
      const { usage, cost } = sumSpending(first, others);
      return {
        record,
        figures: {
          promptTokens: usage.prompt_tokens,
          completionTokens: usage.completion_tokens,
          costUsd: cost?.usd ?? 0,
          ...(endpoint.ownKeyId === undefined ? { costNanoUsd: cost?.nanoUsd ?? 0 } : toOwnCost(cost, endpoint)),
          costKnown: cost !== null,
          durationMs: Math.round(durationMs),
        },
      };
    },
  };
}

/** What a call with a caller's own key has cost, and the fee in that. */
function toOwnCost(cost: Cost | null, endpoint: Endpoint): Pick<RunningFigures, 'costNanoUsd' | 'feeNanoUsd'> {
  const billNanoUsd = cost?.nanoUsd ?? 0;
  const feeNanoUsd = feeOf(billNanoUsd, endpoint);
  return { costNanoUsd: billNanoUsd + feeNanoUsd, feeNanoUsd };
}

/** Measures a turn under way, again and again. Each time reads only what has come since the last. */
interface TurnMeter {
  /** `at` is in Unix milliseconds. */
  read(at: number): Spending;
}

/** Only so much of a longer text is weighed, as a sample: prompts of megabytes would hold up the event loop. */
const SAMPLE_LENGTH = 4096;

/** Creates the meter of a turn. It reads the messages once, now. */
export function createTurnMeter(turn: Turn): TurnMeter {
  const { completion } = turn;
  const promptTokens = estimatePrompt(turn.messages);
  let weight = 0;
  let weighedText = 0;
  let weighedReasoning = 0;
  return {
    read(at) {
      weight += weighLast(completion.text, completion.textLength - weighedText);
      weight += weighLast(completion.reasoning, completion.reasoningLength - weighedReasoning);
      weighedText = completion.textLength;
      weighedReasoning = completion.reasoningLength;
      return spendingFor(turn, toUsage(completion.usage, promptTokens, Math.ceil(weight + weighCalls(completion))), at);
    },
  };
}

/** Some providers count the prompt at the beginning, and the completion up to then. */
function toUsage(reported: Usage | undefined, promptTokens: number, weighed: number): Usage {
  const prompt = reported?.prompt_tokens ?? promptTokens;
  const completion = Math.max(reported?.completion_tokens ?? 0, weighed);
  return {
    ...reported,
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    estimated: true,
  };
}

/** Weighs the last `length` characters of a text, of which the beginning may have been put aside. */
function weighLast(text: string, length: number): number {
  if (length === 0) return 0;
  return weighAll(text.slice(-length), length);
}

/** Weighs the beginning, and counts the rest like it. */
function weighAll(text: string, length: number): number {
  const sample = text.slice(0, SAMPLE_LENGTH);
  return sample === '' ? length / 4 : (weighText(sample) * length) / sample.length;
}

/** Names and arguments of tools are nearly always ASCII. */
function weighCalls({ toolCalls }: CompletionAccumulator): number {
  return toolCalls.reduce((sum, { function: called }) => sum + called.name.length + called.arguments.length, 0) / 4;
}

function estimatePrompt(messages: readonly ChatMessage[]): number {
  let tokens = 0;
  for (const { content } of messages) {
    tokens += TOKENS_A_MESSAGE;
    if (typeof content === 'string') tokens += weighAll(content, content.length);
    else for (const part of content ?? []) if (part.type === 'text') tokens += weighAll(part.text, part.text.length);
  }
  return Math.ceil(tokens);
}

/** A charge as it is kept with the timeline of its call. */
export const toStoredCharge = ({ price, ...rest }: Charge): StoredCharge => ({ ...rest, price: toPriceText(price) });
