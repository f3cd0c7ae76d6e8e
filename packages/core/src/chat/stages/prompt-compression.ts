import { cutMiddle } from '../../calls/attempt.ts';
import { type Compression, isCompressed } from '../../calls/call-kind.ts';
import type { Pipeline } from '../../calls/model-call.ts';
import { estimateUsage } from '../../calls/texts.ts';
import type { ChatCompletionRequest, ChatMessage } from '../../wire/chat-request.ts';
import { compressionOf } from '../chat-kind.ts';
import type { FitRequest, Stage } from './stage.ts';

/** Shortens prompts that are too long for an endpoint, where the request admits it (wire.md 9.2). */
export const promptCompressionStage: Stage = {
  plugins: ['context-compression'],
  plan: ({ call, pipeline }) => ({ fit: createFit(compressionOf(call.request), pipeline) }),
};

/** One family of models accepts no more messages than this (wire.md 9.2). */
const MAX_ANTHROPIC_MESSAGES = 1000;

function createFit(compression: Compression, pipeline: Pipeline): FitRequest {
  return (asked, endpoint) => {
    const { contextLength, maxPromptTokens, modelId } = endpoint;
    if (!isCompressed(contextLength, compression)) return asked;
    const limit = {
      tokens: promptRoom(asked, contextLength, maxPromptTokens),
      messages: modelId.startsWith('anthropic/') ? MAX_ANTHROPIC_MESSAGES : Number.POSITIVE_INFINITY,
    };
    const messages = compressMessages(asked.messages, limit);
    if (messages === asked.messages) return asked;
    pipeline.add({
      type: 'context_compression',
      name: 'context-compression',
      data: {
        engine: 'middle-out',
        input_type: 'messages',
        original_count: asked.messages.length,
        compressed_count: messages.length,
        estimated_tokens: weighMessages(messages),
      },
    });
    return { ...asked, messages };
  };
}

/**
 * Tokens of the context that remain beside the completion and the tools. A completion without a limit is given a
 * quarter.
 */
function promptRoom(
  { max_completion_tokens, max_tokens, tools }: ChatCompletionRequest,
  contextLength: number,
  maxPromptTokens: number | null,
): number {
  const outputTokens = max_completion_tokens ?? max_tokens ?? Math.min(1024, Math.floor(contextLength / 4));
  const described = tools?.length ? Math.ceil(JSON.stringify(tools).length / 4) : 0;
  return Math.max(Math.min(contextLength - outputTokens - described, maxPromptTokens ?? Number.POSITIVE_INFINITY), 1);
}

interface PromptLimit {
  readonly tokens: number;
  readonly messages: number;
}

/** Estimates run low for code and rare words. */
const MARGIN = 1.15;
const GAP = '\n…\n';

/** About how many tokens messages take, rather more than fewer. */
export function weighMessages(messages: readonly ChatMessage[]): number {
  let tokens = 0;
  for (const message of messages) {
    const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
    tokens += estimateUsage([message], calls.length === 0 ? '' : JSON.stringify(calls)).total_tokens;
  }
  return Math.ceil(tokens * MARGIN);
}

/**
 * Shortens a conversation from the middle until it fits: opening instructions and the last message remain, calls of
 * tools go with their results; then the longest texts lose their middle. Returns the same list when it fits.
 */
export function compressMessages(messages: ChatMessage[], limit: PromptLimit): ChatMessage[] {
  if (messages.length <= limit.messages && weighMessages(messages) <= limit.tokens) return messages;
  const units = toUnits(messages);
  const opening = units.findIndex(([first]) => first?.role !== 'system' && first?.role !== 'developer');
  const pool = opening === -1 ? [] : units.slice(opening);
  const kept = [
    ...units.slice(0, opening === -1 ? units.length : opening),
    ...selectEnds(units.slice(0, opening), pool, limit),
  ];
  return shortenTexts(kept.flat(), limit.tokens);
}

type Unit = readonly ChatMessage[];

/** Messages that only make sense together. */
function toUnits(messages: readonly ChatMessage[]): Unit[] {
  const units: ChatMessage[][] = [];
  for (const message of messages) {
    const last = units.at(-1);
    const isResult = message.role === 'tool' && last?.[0]?.role === 'assistant' && last[0].tool_calls?.length;
    if (isResult) last.push(message);
    else units.push([message]);
  }
  return units;
}

/** Takes units from the end and the beginning in turn, as long as they fit; the last one whatever its weight. */
function selectEnds(opening: readonly Unit[], pool: readonly Unit[], limit: PromptLimit): Unit[] {
  let tokens = limit.tokens - weighMessages(opening.flat());
  let count = limit.messages - opening.flat().length;
  const first: Unit[] = [];
  /** The last one first. */
  const last: Unit[] = [];
  while (first.length + last.length < pool.length) {
    const isFromEnd = last.length <= first.length;
    const unit = pool.at(isFromEnd ? -1 - last.length : first.length) as Unit;
    tokens -= weighMessages(unit);
    count -= unit.length;
    if ((tokens < 0 || count < 0) && last.length > 0) break;
    (isFromEnd ? last : first).push(unit);
  }
  return [...first, ...last.toReversed()];
}

function shortenTexts(messages: ChatMessage[], maxTokens: number): ChatMessage[] {
  const weights = messages.map((message) => weighMessages([message]));
  let excess = weights.reduce((sum, weight) => sum + weight, 0) - maxTokens;
  const heaviestFirst = weights.map((_, index) => index).toSorted((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0));
  const shortened = [...messages];
  for (const index of heaviestFirst) {
    if (excess <= 0) break;
    const [message, weight] = [messages[index] as ChatMessage, weights[index] as number];
    // A little of it always stays.
    const share = Math.max((weight - excess) / weight - 0.02, 0.02);
    shortened[index] = shortenMessage(message, share);
    excess -= weight - weighMessages([shortened[index]]);
  }
  return shortened;
}

function shortenMessage(message: ChatMessage, share: number): ChatMessage {
  const { content } = message;
  if (typeof content === 'string') return { ...message, content: shortenText(content, share) };
  if (!Array.isArray(content)) return message;
  const parts = content.map((part) => (part.type === 'text' ? { ...part, text: shortenText(part.text, share) } : part));
  return { ...message, content: parts } as ChatMessage;
}

const shortenText = (text: string, share: number): string => cutMiddle(text, Math.floor(text.length * share), GAP);
