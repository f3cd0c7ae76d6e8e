import { GatewayError } from '../../../foundation/errors.ts';
import { isObject, isRecord, type Unchecked } from '../../../foundation/unchecked.ts';
import type { ChatChunk, ChatDelta, FinishReason } from '../../../wire/chat/chat-chunk.ts';
import type { CompletionReader, CompletionReaderOptions } from '../../kit/create-chat-wire.ts';
import { toUpstreamError } from '../../kit/upstream-error.ts';
import { readAnthropicError } from '../read-anthropic-error.ts';
import { addDelta, type ContentBlockReader, createContentBlockReader } from './content-block-reader.ts';
import { addAnthropicUsage, type AnthropicCounts, toUsage } from './read-anthropic-usage.ts';

/** Finish reasons of the Messages wire and their equivalents. Any other counts as `stop`. */
const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);

/**
 * Creates the reader of one completion on the Messages wire. Its `readEnd` returns open blocks, the finish reason and
 * the usage, which the wire revises until then.
 */
export function createAnthropicCompletionReader(options: CompletionReaderOptions): Required<CompletionReader> {
  const blocks = createContentBlockReader(options.makeId);
  let messageId: unknown;
  let stopReason: string | null = null;
  let counts: AnthropicCounts = {};
  let isComplete = false;

  const noteStopReason = (reason: unknown): void => {
    if (typeof reason === 'string') stopReason = reason;
  };

  /** Some servers begin the same message twice, or another in the middle of one; then the first one ends there. */
  const startMessage = (message: Unchecked): ChatChunk => {
    const isRepeated = messageId !== undefined && message['id'] === messageId;
    if (!isRepeated) {
      blocks.reset();
      counts = {};
      stopReason = null;
    }
    messageId = message['id'];
    counts = addAnthropicUsage(counts, message['usage']);
    noteStopReason(message['stop_reason']);
    const delta = isRepeated ? {} : readContent(blocks, message['content']);
    return { choices: [], ...toChunkOrNothing(delta), ...toFacts(message) };
  };

  const finish = (delta: ChatDelta): ChatChunk => {
    const usage = toUsage(counts);
    return {
      choices: [
        {
          index: 0,
          delta,
          finish_reason: toFinishReason(stopReason, blocks.toolCallCount()),
          native_finish_reason: stopReason,
        },
      ],
      ...(usage && { usage }),
    };
  };

  const readDelta = (event: Unchecked): ChatChunk | undefined => {
    const piece = event['delta'];
    return isObject(piece) ? toChunkOrNothing(blocks.push(indexOf(event), piece)) : undefined;
  };

  return {
    readEvent(data) {
      const event = parse(data, options.providerName);
      switch (event['type']) {
        case 'content_block_delta':
          return readDelta(event);
        case 'content_block_start':
          return isObject(event['content_block'])
            ? toChunkOrNothing(blocks.start(indexOf(event), event['content_block']))
            : undefined;
        case 'content_block_stop':
          return toChunkOrNothing(blocks.stop(indexOf(event)));
        case 'message_start':
          return isObject(event['message']) ? startMessage(event['message']) : undefined;
        case 'message_delta':
          counts = addAnthropicUsage(counts, event['usage']);
          if (isObject(event['delta'])) noteStopReason(event['delta']['stop_reason']);
          return undefined;
        case 'message_stop':
          isComplete = true;
          return 'done';
        default:
          if (isObject(event['error'])) throw toError(event['error'], options);
          return undefined;
      }
    },

    readEnd() {
      if (isComplete) return finish(blocks.flush());
      throw new GatewayError('provider_unavailable', `${options.providerName} ended its answer before it was complete`);
    },

    readWhole(text) {
      const completion = parse(text, options.providerName);
      if (isObject(completion['error'])) throw toError(completion['error'], options);
      if (!Array.isArray(completion['content'])) {
        throw new GatewayError('provider_unavailable', `${options.providerName} returned JSON that is no message`);
      }
      counts = addAnthropicUsage({}, completion['usage']);
      noteStopReason(completion['stop_reason']);
      return { ...finish(readContent(blocks, completion['content'])), ...toFacts(completion) };
    },
  };
}

/** Converts complete blocks to one delta. */
function readContent(blocks: ContentBlockReader, content: unknown): ChatDelta {
  const delta: ChatDelta = {};
  for (const [index, block] of Array.isArray(content) ? content.entries() : []) {
    if (!isObject(block)) continue;
    addDelta(delta, blocks.start(index, block));
    addDelta(delta, blocks.stop(index));
  }
  return delta;
}

/** Facts about a message that only upstream knows. */
function toFacts({ id, usage }: Unchecked): Pick<ChatChunk, 'upstreamId' | 'serviceTier'> {
  const tier = isObject(usage) ? usage['service_tier'] : undefined;
  return {
    ...(typeof id === 'string' && { upstreamId: id }),
    ...(typeof tier === 'string' && { serviceTier: tier === 'standard' ? 'default' : tier }),
  };
}

function toChunkOrNothing(delta: ChatDelta | undefined): ChatChunk | undefined {
  for (const _ in delta) {
    return { choices: [{ index: 0, delta, finish_reason: null, native_finish_reason: null }] };
  }
  return undefined;
}

/** Some servers of this wire end with `end_turn` although they called tools; clients go by the reason. */
function toFinishReason(native: string | null, toolCallCount: number): FinishReason {
  const reason = native === null ? 'stop' : (FINISH_REASONS.get(native) ?? 'stop');
  return reason === 'stop' && toolCallCount > 0 ? 'tool_calls' : reason;
}

const indexOf = ({ index }: Unchecked): number => (typeof index === 'number' ? index : 0);

function parse(text: string, providerName: string): Unchecked {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('provider_unavailable', `${providerName} returned something that is not JSON`, { cause });
  }
  if (isRecord(value)) return value;
  throw new GatewayError('provider_unavailable', `${providerName} returned JSON that is no message`);
}

function toError(error: Unchecked, { providerName, secrets }: CompletionReaderOptions): GatewayError {
  return toUpstreamError({ providerName, secrets, ...readAnthropicError(error, null) });
}
