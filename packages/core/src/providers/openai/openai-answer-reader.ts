import { GatewayError } from '../../errors.ts';
import type { ChatChunk, ChatChunkChoice, ChatDelta, FinishReason } from '../../schemas/chat-chunk.ts';
import type { ReasoningDetail } from '../../schemas/chat-message.ts';
import { createToolCallDeltas, type ToolCallDeltas, type UpstreamToolCall } from '../../streaming/tool-call-deltas.ts';
import { toUpstreamError } from '../upstream-error.ts';
import { readOpenAiUsage } from './read-openai-usage.ts';
import { createTextEventTemplate } from './text-event-template.ts';

/** Only the fields that are used; everything else an upstream sends is its own business. */
interface UpstreamAnswer {
  readonly id?: unknown;
  readonly choices?: readonly UpstreamChoice[] | null;
  readonly usage?: unknown;
  readonly error?: unknown;
  readonly system_fingerprint?: unknown;
  readonly service_tier?: unknown;
}

interface UpstreamChoice {
  readonly index?: unknown;
  readonly delta?: UpstreamMessage | null;
  readonly message?: UpstreamMessage | null;
  readonly finish_reason?: unknown;
  readonly logprobs?: unknown;
}

interface UpstreamMessage {
  /** Mistral sends parts, with its reasoning among them. */
  readonly content?: unknown;
  readonly refusal?: unknown;
  /** Groq, vLLM and gateways. */
  readonly reasoning?: unknown;
  /** DeepSeek, xAI and older servers. */
  readonly reasoning_content?: unknown;
  readonly reasoning_details?: unknown;
  readonly tool_calls?: unknown;
  readonly images?: unknown;
  readonly audio?: unknown;
  readonly annotations?: unknown;
}

/** Words that only other servers have for it, and the wire's own. Anything else counts as `stop`. */
const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['error', 'error'],
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['function_call', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
]);

/** Reads one answer, whole or piece by piece. Holds what must be remembered between pieces. */
export interface OpenAiAnswerReader {
  /** Undefined when the event adds nothing. Throws `GatewayError` for an error event or one that is no answer. */
  readEvent(data: string): ChatChunk | undefined;
  /** Reads a whole, unstreamed answer. Throws `GatewayError` when it is an error or holds no choice. */
  readWhole(text: string): ChatChunk;
}

export interface OpenAiAnswerReaderOptions {
  readonly providerName: string;
  readonly secrets: readonly string[];
  /** Makes the id of a tool call that came without one, from its number in the answer. */
  readonly makeId: (number: number) => string;
}

/** Creates the reader of one answer on the OpenAI wire. */
export function createOpenAiAnswerReader(options: OpenAiAnswerReaderOptions): OpenAiAnswerReader {
  const template = createTextEventTemplate();
  const toolCalls = new Map<number, ToolCallDeltas>();
  const toolCallsOf = (index: number): ToolCallDeltas => {
    const known = toolCalls.get(index) ?? createToolCallDeltas(options.makeId);
    toolCalls.set(index, known);
    return known;
  };

  const readChoice = (choice: UpstreamChoice, isWhole: boolean): ChatChunkChoice | undefined => {
    const index = Number.isSafeInteger(choice.index) ? Math.abs(choice.index as number) : 0;
    const message = choice.delta ?? choice.message;
    const delta = message ? toDelta(message) : {};
    const native = typeof choice.finish_reason === 'string' ? choice.finish_reason : null;
    const isFinished = native !== null || isWhole;
    const pieces = listOf<UpstreamToolCall>(message?.tool_calls);
    if (pieces !== undefined || (isFinished && toolCalls.has(index))) {
      const calls = toolCallsOf(index);
      const deltas = calls.push(pieces ?? []);
      if (isFinished) deltas.push(...calls.flush());
      if (deltas.length > 0) delta.tool_calls = isWhole ? mergeWhole(deltas) : deltas;
    }
    const logprobs = choice.logprobs ?? undefined;
    if (!isFinished && logprobs === undefined && isEmpty(delta)) return undefined;
    return {
      index,
      delta,
      finish_reason: isFinished ? toFinishReason(native, toolCalls.get(index)?.count() ?? 0) : null,
      native_finish_reason: native,
      ...(logprobs !== undefined && { logprobs }),
    };
  };

  const read = (answer: UpstreamAnswer, isWhole: boolean): ChatChunk => {
    if (answer.error !== undefined && answer.error !== null) throw toErrorOfEvent(answer.error, options);
    const chunk: ChatChunk = { choices: [] };
    for (const choice of answer.choices ?? []) {
      const ours = readChoice(choice, isWhole);
      if (ours !== undefined) chunk.choices.push(ours);
    }
    if (answer.usage) {
      const read = readOpenAiUsage(answer.usage);
      if (read !== undefined) {
        chunk.usage = read.usage;
        if (read.upstreamCostUsd !== undefined) chunk.upstreamCostUsd = read.upstreamCostUsd;
      }
    }
    if (typeof answer.id === 'string') chunk.upstreamId = answer.id;
    if (typeof answer.system_fingerprint === 'string') chunk.systemFingerprint = answer.system_fingerprint;
    if (typeof answer.service_tier === 'string') chunk.serviceTier = answer.service_tier;
    return chunk;
  };

  return {
    readEvent(data) {
      const text = template.match(data);
      if (text === '') return undefined;
      if (text !== undefined) {
        const delta = { content: text };
        return { choices: [{ index: 0, delta, finish_reason: null, native_finish_reason: null }] };
      }
      const chunk = read(parseAnswer(data, options.providerName), false);
      const learnt = onlyTextOf(chunk);
      if (learnt !== undefined) template.learn(data, learnt);
      return chunk.choices.length === 0 && chunk.usage === undefined ? undefined : chunk;
    },
    readWhole(text) {
      const chunk = read(parseAnswer(text, options.providerName), true);
      if (chunk.choices.length === 0) {
        throw new GatewayError('provider_unavailable', `${options.providerName} returned an answer without choices`);
      }
      return chunk;
    },
  };
}

/** The text of a chunk that adds a text and nothing else. */
function onlyTextOf({ choices, usage }: ChatChunk): string | undefined {
  const choice = choices.length === 1 ? choices[0] : undefined;
  if (choice === undefined || usage !== undefined || choice.index !== 0) return undefined;
  if (choice.finish_reason !== null || choice.logprobs !== undefined) return undefined;
  const { content, ...others } = choice.delta;
  return typeof content === 'string' && isEmpty(others) ? content : undefined;
}

function parseAnswer(text: string, providerName: string): UpstreamAnswer {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('provider_unavailable', `${providerName} returned something that is not JSON`, { cause });
  }
  const isAnswer =
    typeof answer === 'object' &&
    answer !== null &&
    !Array.isArray(answer) &&
    (!('choices' in answer) ||
      answer.choices === null ||
      (Array.isArray(answer.choices) && answer.choices.every(isRecord)));
  if (!isAnswer) throw new GatewayError('provider_unavailable', `${providerName} returned JSON that is no chat answer`);
  return answer as UpstreamAnswer;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** A list with something in it, or undefined. What it holds is for its reader to check. */
const listOf = <Item>(value: unknown): Item[] | undefined =>
  Array.isArray(value) && value.length > 0 ? value : undefined;

function toDelta(message: UpstreamMessage): ChatDelta {
  const delta: ChatDelta = {};
  const { content, refusal } = message;
  let reasoning = message.reasoning ?? message.reasoning_content;
  if (typeof content === 'string') {
    if (content !== '') delta.content = content;
  } else if (Array.isArray(content)) {
    const text = joinText(content);
    if (text !== '') delta.content = text;
    reasoning ??= content.map((part) => (isRecord(part) ? joinText(part['thinking']) : '')).join('');
  }
  if (typeof refusal === 'string' && refusal !== '') delta.refusal = refusal;
  if (typeof reasoning === 'string' && reasoning !== '') {
    delta.reasoning = reasoning;
    delta.reasoning_details = [{ type: 'reasoning.text', text: reasoning, format: 'unknown', index: 0 }];
  }
  const details = listOf<ReasoningDetail>(message.reasoning_details);
  const images = listOf(message.images);
  const annotations = listOf(message.annotations);
  if (details) delta.reasoning_details = details;
  if (images) delta.images = images;
  if (message.audio) delta.audio = message.audio;
  if (annotations) delta.annotations = annotations;
  return delta;
}

function isEmpty(delta: ChatDelta): boolean {
  for (const _ in delta) return false;
  return true;
}

/** The text of parts; of anything else but a text, nothing. */
function joinText(parts: unknown): string {
  if (!Array.isArray(parts)) return typeof parts === 'string' ? parts : '';
  return parts
    .map((part) => (isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

/** Pieces of the same call come together in a whole answer; they leave as one. */
function mergeWhole(deltas: NonNullable<ChatDelta['tool_calls']>): NonNullable<ChatDelta['tool_calls']> {
  const merged: NonNullable<ChatDelta['tool_calls']> = [];
  for (const delta of deltas) {
    const known = merged.find((call) => call.index === delta.index);
    if (known === undefined) merged.push(delta);
    else known.function.arguments += delta.function.arguments;
  }
  return merged;
}

/** Some servers end with `stop` although they called tools; a client that goes by the reason would drop the calls. */
function toFinishReason(native: string | null, toolCallCount: number): FinishReason {
  const reason = native === null ? 'stop' : (FINISH_REASONS.get(native) ?? 'stop');
  return reason === 'stop' && toolCallCount > 0 ? 'tool_calls' : reason;
}

function toErrorOfEvent(error: unknown, { providerName, secrets }: OpenAiAnswerReaderOptions): GatewayError {
  return toUpstreamError({ providerName, secrets, ...readErrorFields(error) });
}

/** Reads the error object of this wire, in any of the forms seen: `code` is a status, a name, or missing. */
export function readErrorFields(error: unknown): {
  status: number | null;
  message?: string;
  providerCode?: string;
} {
  if (typeof error === 'string') return { status: null, message: error };
  if (typeof error !== 'object' || error === null) return { status: null };
  const { code, type, message, status } = error as Record<string, unknown>;
  const number = [code, status].map(Number).find((value) => Number.isInteger(value) && value >= 400 && value < 600);
  const name = [code, type].find((value) => typeof value === 'string' && !/^\d+$/.test(value));
  return {
    status: number ?? null,
    ...(typeof message === 'string' && { message }),
    ...(typeof name === 'string' && { providerCode: name }),
  };
}
