import { GatewayError } from '../../../foundation/errors.ts';
import { isObject, isRecord, objectsOf, parseReturned, readCount, type Unchecked } from '../../../foundation/parse.ts';
import type { ChatChunk, ChatDelta, FinishReason, Usage } from '../../../wire/chat-chunk.ts';
import { type AnthropicCounts, toUsage } from '../../anthropic/response/anthropic-completion-reader.ts';
import { addDelta, createContentBlockReader } from '../../anthropic/response/content-block-reader.ts';
import type { CompletionReader, CompletionReaderOptions } from '../../kit/create-chat-wire.ts';
import { toUpstreamError } from '../../kit/upstream-error.ts';
import { readBedrockException } from '../read-bedrock-error.ts';

/** Finish reasons of Converse and their equivalents. Any other counts as `stop`. */
const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['guardrail_intervened', 'content_filter'],
  ['content_filtered', 'content_filter'],
  ['malformed_model_output', 'error'],
  ['malformed_tool_use', 'error'],
]);

/**
 * Creates the reader of one completion of Converse. Its blocks are read as those of Anthropic's wire, after which they
 * are made; a stream has the usage after the finish reason, so both come with the last chunk.
 */
export function createConverseReader(options: CompletionReaderOptions): Required<CompletionReader> {
  const { providerName, secrets } = options;
  const blocks = createContentBlockReader(options.makeId);
  const begun = new Set<number>();
  let stopReason: string | null = null;
  let usage: Usage | undefined;
  let serviceTier: string | undefined;

  const pushDelta = (index: number, delta: Unchecked): ChatChunk | undefined => {
    const pieces: ChatDelta = {};
    for (const [block, piece] of toPieces(delta)) {
      // Blocks of text and reasoning begin without an event.
      if (!begun.has(index)) addDelta(pieces, blocks.start(index, block));
      begun.add(index);
      if (piece !== undefined) addDelta(pieces, blocks.push(index, piece));
    }
    return toChunk(pieces);
  };

  const noteMetadata = (metadata: Unchecked): void => {
    usage = readUsage(metadata['usage']) ?? usage;
    const tier = isObject(metadata['serviceTier']) ? metadata['serviceTier']['type'] : undefined;
    if (typeof tier === 'string') serviceTier = tier;
  };

  const readEvent = (data: string): ChatChunk | 'done' | undefined => {
    const [type, event] = Object.entries(parse(data, providerName))[0] ?? [];
    if (!isObject(event)) return undefined;
    const index = readCount(event['contentBlockIndex']) ?? 0;
    switch (type) {
      case 'contentBlockDelta':
        return isObject(event['delta']) ? pushDelta(index, event['delta']) : undefined;
      case 'contentBlockStart': {
        const start = isObject(event['start']) ? toBlock(event['start']) : undefined;
        if (start === undefined) return undefined;
        begun.add(index);
        return toChunk(blocks.start(index, start));
      }
      case 'contentBlockStop':
        begun.delete(index);
        return toChunk(blocks.stop(index));
      case 'messageStop':
        stopReason = typeof event['stopReason'] === 'string' ? event['stopReason'] : '';
        return undefined;
      case 'metadata':
        noteMetadata(event);
        return undefined;
      case 'exception':
        throw toUpstreamError({ providerName, secrets, ...readBedrockException(event), body: event['body'] });
      default:
        return undefined;
    }
  };

  const toLastChunk = (delta: ChatDelta, native: string): ChatChunk => {
    const reason = FINISH_REASONS.get(native) ?? 'stop';
    const finish_reason = reason === 'stop' && blocks.toolCallCount() > 0 ? 'tool_calls' : reason;
    const failure = new GatewayError('provider_unavailable', `${providerName} ended the completion with ${native}`, {
      metadata: { provider_name: providerName },
    });
    return {
      choices: [{ index: 0, delta, finish_reason, native_finish_reason: native }],
      ...(usage !== undefined && { usage }),
      ...(serviceTier !== undefined && { serviceTier }),
      ...(finish_reason === 'error' && { upstream: { failure } }),
    };
  };

  return {
    readEvent,
    readEnd() {
      // The metadata come after the end: without them the stream is cut, and the usage would be missing.
      if (stopReason !== null && usage !== undefined) return toLastChunk(blocks.flush(), stopReason);
      throw new GatewayError(
        'provider_unavailable',
        `${providerName} ended its response before the end of the completion`,
      );
    },
    readWhole(text) {
      const whole = parse(text, providerName);
      const message = isObject(whole['output']) ? whole['output']['message'] : undefined;
      if (!isObject(message)) {
        throw new GatewayError('provider_unavailable', `${providerName} returned JSON that is not a message`);
      }
      noteMetadata(whole);
      const delta: ChatDelta = {};
      for (const [index, given] of objectsOf(message['content']).entries()) {
        const block = toBlock(given);
        if (block === undefined) continue;
        addDelta(delta, blocks.start(index, block));
        addDelta(delta, blocks.stop(index));
      }
      return toLastChunk(delta, typeof whole['stopReason'] === 'string' ? whole['stopReason'] : '');
    },
  };
}

/** A whole block, or the start of one, as Anthropic's wire has it; undefined for one that says nothing here. */
function toBlock({ text, toolUse, reasoningContent }: Unchecked): Unchecked | undefined {
  if (typeof text === 'string') return { type: 'text', text };
  if (isObject(toolUse)) {
    return { type: 'tool_use', id: toolUse['toolUseId'], name: toolUse['name'], input: toolUse['input'] };
  }
  if (!isObject(reasoningContent)) return undefined;
  const { reasoningText, redactedContent } = reasoningContent;
  if (typeof redactedContent === 'string') return { type: 'redacted_thinking', data: redactedContent };
  if (!isObject(reasoningText)) return undefined;
  return { type: 'thinking', thinking: reasoningText['text'], signature: reasoningText['signature'] };
}

/** The block that a delta is of, as it begins, and the piece that it adds to it. */
function toPieces({ text, toolUse, reasoningContent }: Unchecked): [block: Unchecked, piece?: Unchecked][] {
  if (typeof text === 'string')
    return [
      [
        { type: 'text', text: '' },
        { type: 'text_delta', text },
      ],
    ];
  if (isObject(toolUse)) {
    return [[{ type: 'tool_use' }, { type: 'input_json_delta', partial_json: toolUse['input'] }]];
  }
  if (!isObject(reasoningContent)) return [];
  const { text: thinking, signature, redactedContent } = reasoningContent;
  const block = { type: 'thinking', thinking: '', signature: '' };
  if (typeof redactedContent === 'string') return [[{ type: 'redacted_thinking', data: redactedContent }]];
  return [
    ...(typeof thinking === 'string'
      ? ([[block, { type: 'thinking_delta', thinking }]] as [Unchecked, Unchecked][])
      : []),
    ...(typeof signature === 'string'
      ? ([[block, { type: 'signature_delta', signature }]] as [Unchecked, Unchecked][])
      : []),
  ];
}

function toChunk(delta: ChatDelta | undefined): ChatChunk | undefined {
  for (const _ in delta) {
    return { choices: [{ index: 0, delta, finish_reason: null, native_finish_reason: null }] };
  }
  return undefined;
}

/** Tokens read from or written to the cache are counted beside the input. */
function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const details = objectsOf(value['cacheDetails']).find(({ ttl }) => ttl === '1h');
  const counts: AnthropicCounts = {};
  const note = (name: keyof AnthropicCounts, count: unknown): void => {
    const read = readCount(count);
    if (read !== undefined) counts[name] = read;
  };
  note('input', value['inputTokens']);
  note('output', value['outputTokens']);
  note('cacheRead', value['cacheReadInputTokens']);
  note('cacheWrite', value['cacheWriteInputTokens']);
  note('cacheWrite1h', details?.['inputTokens']);
  return toUsage(counts);
}

function parse(text: string, providerName: string): Unchecked {
  const value = parseReturned(text, providerName);
  if (isRecord(value)) return value;
  throw new GatewayError('provider_unavailable', `${providerName} returned JSON that is not a message`);
}
