import type { WholeCompletion } from '../../chat/format.ts';
import { isRecord, type Unchecked } from '../../foundation/parse.ts';
import { type FinishReason, sealReasoning, type Usage } from '../../wire/chat-chunk.ts';
import type { ReasoningDetail } from '../../wire/chat-request.ts';
import { readArguments } from '../kit/read-arguments.ts';
import { toCosts } from '../kit/to-costs.ts';
import { createSegmentWriter, type SegmentWriter } from '../kit/write-segments.ts';
import { ANTHROPIC_FORMAT } from './to-chat-messages.ts';

/** Receives content blocks: one is open at a time, their numbers have no gaps (wire.md 22.1). */
export interface BlockSink {
  start(index: number, block: Readonly<Record<string, unknown>>): void;
  delta(index: number, type: DeltaType, text: string): void;
  stop(index: number): void;
}

export type DeltaType = 'text_delta' | 'thinking_delta' | 'signature_delta' | 'input_json_delta';

/** Writes the deltas of one completion as content blocks. */
export function createBlockWriter(sink: BlockSink): SegmentWriter {
  let index = 0;
  let isThinking = false;
  /** The number of the text in the open block, which its upstream gave it. */
  let thought: unknown;

  const start = (block: Readonly<Record<string, unknown>>): void => sink.start(index, block);
  const stop = (): void => {
    sink.stop(index);
    index += 1;
  };
  const startThinking = (): void => {
    if (!isThinking) start({ type: 'thinking', thinking: '', signature: '' });
    isThinking = true;
  };
  const stopThinking = (): void => {
    if (isThinking) stop();
    isThinking = false;
  };
  /** A signature is that of one text, and the last of its block. */
  const sign = (signature: string): void => {
    startThinking();
    sink.delta(index, 'signature_delta', signature);
    stopThinking();
  };
  const think = (text: string, number: unknown): void => {
    if (text === '') return;
    // Else a signature would be that of two texts.
    if (isThinking && thought !== number) stopThinking();
    thought = number;
    startThinking();
    sink.delta(index, 'thinking_delta', text);
  };

  const input = createInputWriter((json) => sink.delta(index, 'input_json_delta', json));

  return createSegmentWriter({
    startReasoning: () => undefined,
    reasoning(detail) {
      const { type, text, summary, data, signature, format } = detail;
      const isOwn = (format ?? ANTHROPIC_FORMAT) === ANTHROPIC_FORMAT;
      if (type === 'reasoning.text') think(textOf(text), detail['index']);
      if (type === 'reasoning.summary') think(textOf(summary), detail['index']);
      const isSigned = textOf(signature) !== '';
      if (isOwn && type === 'reasoning.encrypted') {
        stopThinking();
        start({ type: 'redacted_thinking', data: textOf(data) });
        stop();
      } else if (isOwn && isSigned) sign(textOf(signature));
      // The text of reasoning that others have signed is the block's own.
      else if (isSigned) sign(sealReasoning([withoutText(detail)]));
      else if (type === 'reasoning.encrypted') sign(sealReasoning([detail]));
    },
    endReasoning: stopThinking,
    startText: () => start({ type: 'text', text: '', citations: null }),
    text: (text) => sink.delta(index, 'text_delta', text),
    endText: stop,
    startCall(id, name) {
      input.begin();
      start({ type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } });
    },
    arguments: input.write,
    endCall() {
      input.end();
      stop();
    },
  });
}

function withoutText({ text: _text, summary: _summary, ...rest }: ReasoningDetail): ReasoningDetail {
  return rest;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Writes the input of one call after the other, piece by piece. */
export interface InputWriter {
  begin(): void;
  write(text: string): void;
  end(): void;
}

/** Clients refuse a stream whose input is no JSON, so what does not begin as an object waits for its end. */
function createInputWriter(emit: (json: string) => void): InputWriter {
  let isObject = false;
  /** What has come before that is known. */
  let beginning = '';
  return {
    begin() {
      isObject = false;
      beginning = '';
    },
    write(text) {
      if (isObject) {
        emit(text);
        return;
      }
      beginning += text;
      isObject = beginning.trimStart().startsWith('{');
      if (isObject) emit(beginning);
    },
    end() {
      if (!isObject && beginning.trim() !== '') emit(JSON.stringify(readArguments(beginning)));
    },
  };
}

/**
 * The body of an unstreamed message. Upstream's own is given back as it came, but for ids, model and cost. Throws the
 * failure of a completion that broke off: a message has no place for it beside a part of its content.
 */
export function toMessage(completion: WholeCompletion): object {
  const { id, model, provider, chunks, failure, usage, members } = completion;
  if (failure !== null) throw failure;
  const own = chunks.flatMap(({ native = [] }) => native).find(({ type }) => type === 'whole');
  const given: Unchecked = own === undefined ? {} : (JSON.parse(own.data) as Unchecked);
  const last = chunks.flatMap(({ choices }) => choices).findLast(({ finish_reason }) => finish_reason !== null);
  return {
    type: 'message',
    role: 'assistant',
    content: own === undefined ? toBlocks(completion) : [],
    stop_reason: toStopReason(last?.finish_reason ?? 'stop', last?.native_finish_reason ?? null),
    stop_sequence: null,
    stop_details: null,
    container: null,
    ...given,
    usage: { ...toMessagesUsage(usage), ...(isRecord(given['usage']) && given['usage']), ...toCosts(usage) },
    id,
    model,
    provider,
    ...members,
  };
}

type Block = Record<string, unknown>;

function toBlocks({ chunks }: WholeCompletion): Block[] {
  const content: Block[] = [];
  const parts = new Map<number, string>();
  const sink: BlockSink = {
    start(index, block) {
      content.push({ ...block });
      parts.set(index, '');
    },
    delta(index, type, text) {
      const block = content[index];
      if (block === undefined) return;
      if (type === 'text_delta') block['text'] = String(block['text']) + text;
      else if (type === 'thinking_delta') block['thinking'] = String(block['thinking']) + text;
      else if (type === 'signature_delta') block['signature'] = text;
      else parts.set(index, (parts.get(index) ?? '') + text);
    },
    stop(index) {
      const block = content[index];
      if (block?.['type'] === 'tool_use') block['input'] = readArguments(parts.get(index) ?? '');
    },
  };
  const writer = createBlockWriter(sink);
  for (const { choices } of chunks) for (const { delta } of choices) writer.write(delta);
  writer.end();
  return content;
}

/** Counts in this form: what was read from the cache and written to it is no part of the input (wire.md 22.1). */
export function toMessagesUsage(usage: Usage | undefined): Record<string, unknown> {
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage ?? {};
  const read = prompt?.cached_tokens ?? 0;
  const written = prompt?.cache_write_tokens ?? 0;
  const hourly = prompt?.cache_write_1h_tokens ?? 0;
  const thinking = completion?.reasoning_tokens;
  const searches = usage?.server_tool_use_details?.web_search_requests ?? usage?.server_tool_use?.web_search_requests;
  return {
    input_tokens: Math.max((usage?.prompt_tokens ?? 0) - read - written, 0),
    output_tokens: usage?.completion_tokens ?? 0,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    cache_creation: { ephemeral_5m_input_tokens: Math.max(written - hourly, 0), ephemeral_1h_input_tokens: hourly },
    output_tokens_details: thinking === undefined ? null : { thinking_tokens: thinking },
    server_tool_use: searches === undefined ? null : { web_search_requests: searches, web_fetch_requests: 0 },
    service_tier: null,
    inference_geo: null,
    ...toCosts(usage),
  };
}

const REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  error: 'refusal',
};

/** Upstream's own reasons of this format, which are finer than the ones of chat completions. */
const OWN_REASONS: ReadonlySet<string> = new Set([
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
  'compaction',
]);

export function toStopReason(reason: FinishReason, native: string | null): string {
  const isOwn = native !== null && OWN_REASONS.has(native) && !(reason === 'tool_calls' && native !== 'tool_use');
  return isOwn ? native : REASONS[reason];
}
