import type { CompletionEnd, CompletionEnvelope } from '../chat/format.ts';
import { isRecord } from '../foundation/parse.ts';
import { readableBodyOf } from '../generations/whole-request.ts';
import type { StoredContent } from '../stores/store.ts';
import type { ChatChunk, ChatDelta, FinishReason, Usage } from '../wire/chat-chunk.ts';
import type { Generation } from '../wire/generation.ts';
import type { FormatName } from '../wire/routing-rules.ts';
import { findChatFormat } from './inner-chat.ts';

/** A stored chat in the form of its route: its request, and its response as it would be given back. */
export interface StoredExchange {
  /** The path below the version: `/messages`. That of Gemini's form has the model, so its method stands for it. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly status: number;
  /** The response of a call without a stream. */
  readonly whole: object;
  /** The events of a streamed call; null for a call that failed. */
  readonly stream: string | null;
}

const PATHS: Readonly<Record<FormatName, string>> = {
  chat: '/chat/completions',
  messages: '/messages',
  responses: '/responses',
  completions: '/completions',
  'ollama-chat': '/api/chat',
  'ollama-generate': '/api/generate',
  gemini: '/generate-content',
};

/** Encodes a stored chat; null for what is none, and where only the prompt is stored. */
export function toStoredExchange(generation: Generation, content: StoredContent): StoredExchange | null {
  const { request } = content;
  const format = request && findChatFormat(request.format);
  if (format === undefined || request === undefined || !isRecord(request.body)) return null;
  const { body } = request;
  const path = PATHS[format.name];
  const failure = content.output.completion === null ? content.error : null;
  if (failure !== null && failure !== undefined) return { path, body, stream: null, ...toFailed(path, failure) };
  const parsed = format.parse(readableBodyOf(request), request.headers);
  const envelope = toEnvelope(generation);
  const end = toEnd(generation, content);
  const whole = parsed.encoder.toWhole(
    { ...envelope, chunks: [toChunk(toDelta(content), end)], failure: null, ...end },
    parsed.request,
  );
  const frames = parsed.encoder.createFrames(envelope, parsed.request);
  const texts = [...toDeltas(content).map((delta) => frames.encode([toChunk(delta, null)])), frames.encodeEnd(end)];
  frames.close?.();
  const stream = texts.map((text) => (typeof text === 'string' ? text : [...text].join(''))).join('');
  return { path, body, status: 200, whole, stream };
}

/** An error in the form of the route. Its kind is not stored, only its words. */
function toFailed(
  path: string,
  { status, message }: NonNullable<StoredContent['error']>,
): Pick<StoredExchange, 'status' | 'whole'> {
  const said = message ?? 'The provider failed';
  const code = status ?? 502;
  const whole =
    path === '/messages'
      ? { type: 'error', error: { type: 'api_error', message: said }, request_id: null }
      : { error: { code, message: said } };
  return { status: code, whole };
}

const toEnvelope = ({ id, created_at: createdAt, model, provider_name: provider }: Generation): CompletionEnvelope => ({
  id,
  created: Math.floor(Date.parse(createdAt) / 1000),
  model,
  provider: provider ?? '',
});

const toEnd = (generation: Generation, { output }: StoredContent): CompletionEnd => ({
  reason: (generation.finish_reason ?? 'stop') as FinishReason,
  native: generation.native_finish_reason,
  usage: toUsage(generation),
  citations: output.citations,
  members: undefined,
});

function toUsage({
  tokens_prompt: prompt,
  tokens_completion: completion,
  ...generation
}: Generation): Usage | undefined {
  if (prompt === null || completion === null) return undefined;
  const { native_tokens_cached: cached, native_tokens_reasoning: reasoning } = generation;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(cached !== null && { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning !== null && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

const toChunk = (delta: ChatDelta, end: CompletionEnd | null): ChatChunk => ({
  choices: [{ index: 0, delta, finish_reason: end?.reason ?? null, native_finish_reason: end?.native ?? null }],
});

/** The whole message. */
function toDelta({ output }: StoredContent): ChatDelta {
  const { completion, reasoning, tool_calls: calls = [], annotations } = output;
  return {
    role: 'assistant',
    content: completion,
    ...(reasoning !== null && { reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map((call, index) => ({ index, ...call })) }),
    ...(annotations !== undefined && { annotations: [...annotations] }),
  };
}

/** The message word by word, as a stream of it comes. */
function toDeltas({ output }: StoredContent): ChatDelta[] {
  const { completion, reasoning, tool_calls: calls = [] } = output;
  const words = (text: string | null): readonly string[] => text?.match(/\s*\S+|\s+$/g) ?? [];
  return [
    { role: 'assistant', content: '' },
    ...words(reasoning).map((piece) => ({ reasoning: piece })),
    ...words(completion).map((piece) => ({ content: piece })),
    ...calls.map((call, index) => ({ tool_calls: [{ index, ...call }] })),
  ];
}
