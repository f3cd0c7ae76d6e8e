import { isObject, isRecord } from '../../../foundation/parse.ts';
import type { ChatDelta } from '../../../wire/chat-chunk.ts';
import type { ReasoningDetail } from '../../../wire/chat-request.ts';

/** A message or a piece of one; only the fields that are used, each of which may be of another type. */
export interface UpstreamMessage {
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

/** Converts a message to a delta, without its tool calls. */
export function toDelta(message: UpstreamMessage): ChatDelta {
  const delta: ChatDelta = {};
  const { content, refusal } = message;
  let reasoning = message.reasoning ?? message.reasoning_content;
  if (typeof content === 'string') {
    if (content !== '') delta.content = content;
  } else if (Array.isArray(content)) {
    const text = joinText(content);
    if (text !== '') delta.content = text;
    reasoning ??= content.map((part) => (isObject(part) ? joinText(part['thinking']) : '')).join('');
  }
  if (typeof refusal === 'string' && refusal !== '') delta.refusal = refusal;
  if (typeof reasoning === 'string') addReasoning(delta, reasoning);
  const details = listOf<unknown>(message.reasoning_details)?.filter(isDetail);
  const images = listOf(message.images);
  if (details !== undefined && details.length > 0) delta.reasoning_details = details;
  if (images) delta.images = images;
  if (message.audio) delta.audio = message.audio;
  // An empty list says that there are none, which clients tell apart from a server without annotations.
  if (Array.isArray(message.annotations)) delta.annotations = message.annotations;
  return delta;
}

/** Adds a piece of reasoning to what the delta holds of it. */
export function addReasoning(delta: ChatDelta, text: string): void {
  if (text === '') return;
  delta.reasoning = (delta.reasoning ?? '') + text;
  delta.reasoning_details = [{ type: 'reasoning.text', text: delta.reasoning, format: 'unknown', index: 0 }];
}

const isDetail = (value: unknown): value is ReasoningDetail => isRecord(value) && typeof value['type'] === 'string';

/** The joined text of parts; empty for anything else but a text. */
function joinText(parts: unknown): string {
  if (!Array.isArray(parts)) return typeof parts === 'string' ? parts : '';
  return parts
    .map((part) => (isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

/** A list with something in it, or undefined. What it holds is for its reader to check. */
export const listOf = <Item>(value: unknown): Item[] | undefined =>
  Array.isArray(value) && value.length > 0 ? value : undefined;
