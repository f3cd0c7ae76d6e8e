import { GatewayError } from '../../../foundation/errors.ts';
import { isObject, isRecord, parseReturned, readCount, type Unchecked } from '../../../foundation/parse.ts';
import type { ChatChunk, ChatDelta, FinishReason, Usage } from '../../../wire/chat-chunk.ts';
import type { CompletionReader, CompletionReaderOptions } from '../../kit/create-chat-wire.ts';
import { toUpstreamError } from '../../kit/upstream-error.ts';
import { readAnthropicError } from '../read-anthropic-error.ts';
import { addDelta, type ContentBlockReader, createContentBlockReader } from './content-block-reader.ts';

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

/** An event without a part of the completion, but belonging to it. */
const NOTHING: ChatChunk = { choices: [] };

/** What the wire has reported of a message beside its blocks. */
interface MessageReport {
  id: unknown;
  stopReason: string | null;
  counts: AnthropicCounts;
}

/**
 * Creates the reader of one completion on the Messages wire. Its `readEnd` returns open blocks, the finish reason and
 * the usage, which the wire revises until then.
 */
export function createAnthropicCompletionReader(options: CompletionReaderOptions): Required<CompletionReader> {
  const { providerName, keepsNative } = options;
  const blocks = createContentBlockReader(options.makeId);
  const report: MessageReport = { id: undefined, stopReason: null, counts: {} };
  let isComplete = false;

  const readEvent = (event: Unchecked): ChatChunk | 'done' | undefined => {
    switch (event['type']) {
      case 'content_block_delta':
        return isObject(event['delta']) ? toChunkOrNothing(blocks.push(indexOf(event), event['delta'])) : undefined;
      case 'content_block_start':
        return isObject(event['content_block'])
          ? toChunkOrNothing(blocks.start(indexOf(event), event['content_block']))
          : undefined;
      case 'content_block_stop':
        return toChunkOrNothing(blocks.stop(indexOf(event)));
      case 'message_start':
        return isObject(event['message']) ? startMessage(report, blocks, event['message']) : undefined;
      case 'message_delta':
        noteReport(report, event['usage'], isObject(event['delta']) ? event['delta']['stop_reason'] : undefined);
        return undefined;
      case 'message_stop':
        isComplete = true;
        return 'done';
      default:
        if (isObject(event['error'])) throw toError(event['error'], options);
        return undefined;
    }
  };

  return {
    readEvent(data) {
      const event = parse(data, providerName);
      const chunk = readEvent(event);
      if (keepsNative !== true) return chunk;
      const piece = { type: typeof event['type'] === 'string' ? event['type'] : 'message', data };
      if (chunk === 'done') return chunk;
      return { ...(chunk ?? NOTHING), native: [piece] };
    },

    readEnd() {
      if (isComplete) return toLastChunk(report, blocks.flush(), blocks.toolCallCount());
      throw new GatewayError(
        'provider_unavailable',
        `${providerName} ended its response before the end of the completion`,
      );
    },

    readWhole(text) {
      const completion = parse(text, providerName);
      if (isObject(completion['error'])) throw toError(completion['error'], options);
      if (!Array.isArray(completion['content'])) {
        throw new GatewayError('provider_unavailable', `${providerName} returned JSON that is not a message`);
      }
      noteReport(report, completion['usage'], completion['stop_reason']);
      const delta = readContent(blocks, completion['content']);
      const chunk = { ...toLastChunk(report, delta, blocks.toolCallCount()), ...toFacts(completion) };
      return keepsNative === true ? { ...chunk, native: [{ type: 'whole', data: text }] } : chunk;
    },
  };
}

/** Some servers begin the same message twice, or another in the middle of one; then the first one ends there. */
function startMessage(report: MessageReport, blocks: ContentBlockReader, message: Unchecked): ChatChunk {
  const isRepeated = report.id !== undefined && message['id'] === report.id;
  if (!isRepeated) {
    blocks.reset();
    report.counts = {};
    report.stopReason = null;
  }
  report.id = message['id'];
  noteReport(report, message['usage'], message['stop_reason']);
  const delta = isRepeated ? {} : readContent(blocks, message['content']);
  return { choices: [], ...toChunkOrNothing(delta), ...toFacts(message) };
}

function noteReport(report: MessageReport, usage: unknown, stopReason: unknown): void {
  report.counts = addAnthropicUsage(report.counts, usage);
  if (typeof stopReason === 'string') report.stopReason = stopReason;
}

function toLastChunk({ stopReason, counts }: MessageReport, delta: ChatDelta, toolCallCount: number): ChatChunk {
  const usage = toUsage(counts);
  const finish_reason = toFinishReason(stopReason, toolCallCount);
  return {
    choices: [{ index: 0, delta, finish_reason, native_finish_reason: stopReason }],
    ...(usage && { usage }),
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
  const value = parseReturned(text, providerName);
  if (isRecord(value)) return value;
  throw new GatewayError('provider_unavailable', `${providerName} returned JSON that is not a message`);
}

function toError(error: Unchecked, { providerName, secrets }: CompletionReaderOptions): GatewayError {
  return toUpstreamError({ providerName, secrets, ...readAnthropicError(error, null), body: { error } });
}

/** Token counts as the wire names them. A count that was not reported is absent. */
export interface AnthropicCounts {
  input?: number;
  cacheRead?: number;
  cacheWrite?: number;
  /** Part of `cacheWrite`: tokens that are cached for an hour, at a separate price. */
  cacheWrite1h?: number;
  output?: number;
  /** Part of the output. */
  thinking?: number;
  webSearches?: number;
}

const FIELDS = [
  ['input', 'input_tokens'],
  ['cacheRead', 'cache_read_input_tokens'],
  ['cacheWrite', 'cache_creation_input_tokens'],
  ['output', 'output_tokens'],
] as const satisfies readonly (readonly [keyof AnthropicCounts, string])[];

/**
 * Adds the counts of one `usage` object. Counts are cumulative, so later ones replace earlier ones, except zeros that
 * some servers send at the end; a zero for the output alone is one. A call that took several turns on the server (compaction, fallback to another model)
 * lists them as iterations; the counts beside that list cover only a part, so its sum is used.
 */
export function addAnthropicUsage(known: AnthropicCounts, value: unknown): AnthropicCounts {
  if (!isObject(value)) return known;
  const counts: AnthropicCounts = { ...known };
  const iterations = Array.isArray(value['iterations']) ? value['iterations'].filter(isOwnIteration) : [];
  const isEmptyReport = (known.input ?? 0) > 0 && value['input_tokens'] === 0;
  for (const [name, field] of FIELDS) {
    const count = iterations.length > 0 ? sumOf(iterations, field) : readCount(value[field]);
    if (count === undefined) continue;
    const isKnown = counts[name] !== undefined;
    if (count > 0 || !isKnown || (name === 'output' && !isEmptyReport)) counts[name] = count;
  }
  const written = iterations.length > 0 ? iterations.map(({ cache_creation: each }) => each).filter(isObject) : [];
  const cacheWrite1h = written.length > 0 ? sumOf(written, HOUR_FIELD) : countIn(value['cache_creation'], HOUR_FIELD);
  const thinking = countIn(value['output_tokens_details'], 'thinking_tokens');
  const webSearches = countIn(value['server_tool_use'], 'web_search_requests');
  if (cacheWrite1h !== undefined) counts.cacheWrite1h = cacheWrite1h;
  if (thinking !== undefined) counts.thinking = thinking;
  if (webSearches !== undefined) counts.webSearches = webSearches;
  return counts;
}

const HOUR_FIELD = 'ephemeral_1h_input_tokens';

const countIn = (details: unknown, field: string): number | undefined =>
  isObject(details) ? readCount(details[field]) : undefined;

/**
 * Converts the counts to the gateway's form; undefined without both of input and output. The wire counts tokens read
 * from or written to the cache separately from the input, the gateway as a part of it.
 */
export function toUsage(counts: AnthropicCounts): Usage | undefined {
  const { input, cacheRead, cacheWrite, cacheWrite1h, output, thinking, webSearches } = counts;
  if (input === undefined || output === undefined) return undefined;
  const prompt = input + (cacheRead ?? 0) + (cacheWrite ?? 0);
  const hasCacheCounts = cacheRead !== undefined || cacheWrite !== undefined;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    ...(hasCacheCounts && {
      prompt_tokens_details: {
        ...(cacheRead !== undefined && { cached_tokens: cacheRead }),
        ...(cacheWrite !== undefined && { cache_write_tokens: cacheWrite }),
        ...(cacheWrite1h !== undefined && { cache_write_1h_tokens: cacheWrite1h }),
      },
    }),
    ...(thinking !== undefined && { completion_tokens_details: { reasoning_tokens: thinking } }),
    ...(webSearches !== undefined && { server_tool_use_details: { web_search_requests: webSearches } }),
  };
}

/** An adviser is another model at another price, and no part of the counts beside the list either. */
const isOwnIteration = (value: unknown): value is Unchecked => isObject(value) && value['type'] !== 'advisor_message';

function sumOf(iterations: readonly Unchecked[], field: string): number | undefined {
  let sum: number | undefined;
  for (const iteration of iterations) {
    const count = readCount(iteration[field]);
    if (count !== undefined) sum = (sum ?? 0) + count;
  }
  return sum;
}
