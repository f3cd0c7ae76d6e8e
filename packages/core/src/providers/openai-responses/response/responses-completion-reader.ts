import { GatewayError } from '../../../foundation/errors.ts';
import { isObject, isRecord, objectsOf, type Unchecked, parseReturned } from '../../../foundation/parse.ts';
import type { ChatChunk, ChatDelta, FinishReason } from '../../../wire/chat-chunk.ts';
import type { CompletionReader, CompletionReaderOptions } from '../../kit/create-chat-wire.ts';
import { toUpstreamError } from '../../kit/upstream-error.ts';
import { readOpenAiUsage, type ReadUsage } from '../../openai/response/read-openai-usage.ts';
import { errorOfEvent, readResponsesError } from '../read-responses-error.ts';
import { addDelta, createOutputItemReader, type OutputItemReader } from './output-item-reader.ts';

/** Items that become a part of a chat completion; others are work of upstream's own tools. */
const TRANSLATED: ReadonlySet<unknown> = new Set(['message', 'reasoning', 'function_call', 'custom_tool_call']);

/** Statuses of a response that has ended. Servers that leave it out have none that failed. */
const ENDED: ReadonlySet<unknown> = new Set(['completed', 'incomplete', undefined, null]);

/** Creates the reader of one completion on the Responses wire. */
export function createResponsesCompletionReader(options: CompletionReaderOptions): Required<CompletionReader> {
  const { providerName, keepsNative } = options;
  const items = createOutputItemReader(options.makeId);
  /** The last event, and the response in it; null before it has come. */
  let end: { readonly data: string; readonly type: string; readonly response: Unchecked } | null = null;

  const readEvent = (type: string, event: Unchecked): ChatChunk | undefined => {
    switch (type) {
      case 'response.created': {
        const { response } = event;
        return isRecord(response) && typeof response['id'] === 'string'
          ? { choices: [], upstreamId: response['id'] }
          : undefined;
      }
      case 'response.output_item.added': {
        const { item } = event;
        if (!isRecord(item)) return undefined;
        items.start(placeOf(event), item);
        // A caller that gets the items as they are gets this one, too: the completion has begun.
        return keepsNative === true && !TRANSLATED.has(item['type']) ? toChunk({}) : undefined;
      }
      case 'response.output_item.done':
        return isRecord(event['item']) ? toChunkOrNothing(items.finish(placeOf(event), event['item'])) : undefined;
      case 'response.output_text.delta': {
        const chunk = toChunkOrNothing(items.push(placeOf(event), type, event));
        const logprobs = toLogprobs([event]);
        return logprobs === undefined ? chunk : withLogprobs(chunk ?? toChunk({}), logprobs);
      }
      default:
        return type.endsWith('.delta') ? toChunkOrNothing(items.push(placeOf(event), type, event)) : undefined;
    }
  };

  return {
    readEvent(data) {
      const event = parse(data, providerName);
      const type = typeof event['type'] === 'string' ? event['type'] : '';
      if (type === 'response.completed' || type === 'response.incomplete') {
        end = { data, type, response: isRecord(event['response']) ? event['response'] : {} };
        return 'done';
      }
      const error = errorOfEvent(event);
      if (error !== undefined) throw toError(error, event, options);
      const chunk = readEvent(type, event);
      return keepsNative === true ? { ...(chunk ?? { choices: [] }), native: [{ type, data }] } : chunk;
    },

    readEnd() {
      if (end === null) {
        throw new GatewayError(
          'provider_unavailable',
          `${providerName} ended its response before the end of the completion`,
        );
      }
      const { type, data, response } = end;
      const chunk = toLastChunk(response, type.slice('response.'.length), items);
      return keepsNative === true ? { ...chunk, native: [{ type, data }] } : chunk;
    },

    readWhole(text) {
      const response = parse(text, providerName);
      const { error, output, status } = response;
      if (error !== undefined && error !== null) throw toError(error, response, options);
      if (!Array.isArray(output)) {
        throw new GatewayError('provider_unavailable', `${providerName} returned JSON that is not a response`);
      }
      if (!ENDED.has(status)) {
        throw new GatewayError('provider_unavailable', `${providerName} returned a response that has not ended`);
      }
      const said = objectsOf(output).flatMap(({ content }) => objectsOf(content));
      const chunk = withLogprobs(toLastChunk(response, textOf(status) || 'completed', items), toLogprobs(said));
      return keepsNative === true ? { ...chunk, native: [{ type: 'whole', data: text }] } : chunk;
    },
  };
}

/** What the end alone has: items that were not streamed, the finish reason, usage and facts of upstream. */
function toLastChunk(response: Unchecked, status: string, items: OutputItemReader): ChatChunk {
  const delta: ChatDelta = {};
  const output: readonly unknown[] = Array.isArray(response['output']) ? response['output'] : [];
  for (const [place, item] of output.entries()) if (isRecord(item)) addDelta(delta, items.finish(place, item));
  const { reason, native } = toFinish(response, status, items.toolCallCount());
  const read = readResponsesUsage(response['usage']);
  const searches = items.searchCount();
  const { id, service_tier: tier } = response;
  return {
    choices: [{ index: 0, delta, finish_reason: reason, native_finish_reason: native }],
    ...(read && {
      ...read,
      usage: {
        ...(searches > 0 && { server_tool_use_details: { web_search_requests: searches } }),
        ...read.usage,
      },
    }),
    ...(typeof id === 'string' && { upstreamId: id }),
    ...(typeof tier === 'string' && { serviceTier: tier }),
  };
}

function toFinish(
  { incomplete_details: details }: Unchecked,
  status: string,
  toolCallCount: number,
): { readonly reason: FinishReason; readonly native: string } {
  if (status !== 'incomplete') return { reason: toolCallCount > 0 ? 'tool_calls' : 'stop', native: status };
  const native = (isRecord(details) && textOf(details['reason'])) || status;
  return { reason: native === 'content_filter' ? 'content_filter' : 'length', native };
}

const toChunk = (delta: ChatDelta): ChatChunk => ({
  choices: [{ index: 0, delta, finish_reason: null, native_finish_reason: null }],
});

const toChunkOrNothing = (delta: ChatDelta | undefined): ChatChunk | undefined =>
  delta === undefined ? undefined : toChunk(delta);

/** The log probabilities of pieces of text, in the form of chat completions; undefined where there are none. */
function toLogprobs(pieces: readonly Unchecked[]): object | undefined {
  const content = pieces.flatMap(({ logprobs }) => objectsOf(logprobs));
  return content.length === 0 ? undefined : { content, refusal: null };
}

const withLogprobs = (chunk: ChatChunk, logprobs: object | undefined): ChatChunk =>
  logprobs === undefined ? chunk : { ...chunk, choices: chunk.choices.map((choice) => ({ ...choice, logprobs })) };

const placeOf = ({ output_index: place }: Unchecked): number => (typeof place === 'number' ? place : 0);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function parse(text: string, providerName: string): Unchecked {
  const value = parseReturned(text, providerName);
  if (isRecord(value)) return value;
  throw new GatewayError('provider_unavailable', `${providerName} returned JSON that is not a response`);
}

function toError(error: unknown, body: Unchecked, { providerName, secrets }: CompletionReaderOptions): GatewayError {
  // The response around the error repeats the prompt.
  const { response: _, ...own } = body;
  return toUpstreamError({ providerName, secrets, ...readResponsesError(error), body: { ...own, error } });
}

/**
 * Reads the counts of a response; undefined when there are no plausible ones. They mean the same as those of chat
 * completions, under names of their own, as do the costs that gateways add.
 */
function readResponsesUsage(value: unknown): ReadUsage | undefined {
  if (!isObject(value)) return undefined;
  const { input_tokens, output_tokens, input_tokens_details: input, output_tokens_details: output, ...others } = value;
  return readOpenAiUsage({
    ...others,
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    prompt_tokens_details: input,
    completion_tokens_details: output,
    ...(isObject(value['cost_details']) && { cost_details: toCosts(value['cost_details']) }),
  });
}

const toCosts = (costs: Unchecked): Unchecked => ({
  ...costs,
  upstream_inference_prompt_cost: costs['upstream_inference_input_cost'],
  upstream_inference_completions_cost: costs['upstream_inference_output_cost'],
});
