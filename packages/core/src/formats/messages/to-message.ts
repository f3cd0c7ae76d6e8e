import type { WholeCompletion } from '../../chat/format.ts';
import { isRecord, type Unchecked } from '../../foundation/parse.ts';
import type { FinishReason, Usage } from '../../wire/chat-chunk.ts';
import { type BlockSink, createBlockWriter, toInput } from './block-writer.ts';

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
      if (block?.['type'] === 'tool_use') block['input'] = toInput(parts.get(index) ?? '');
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

/** What the gateway adds to the counts of any upstream. */
export function toCosts(usage: Usage | undefined): Record<string, unknown> {
  if (usage === undefined) return {};
  const { cost, is_byok, estimated, cost_details: details } = usage;
  return {
    ...(cost !== undefined && { cost }),
    ...(is_byok !== undefined && { is_byok }),
    ...(estimated !== undefined && { estimated }),
    ...(details !== undefined && { cost_details: details }),
  };
}

const REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  error: 'refusal',
};

/** Upstream's own reasons of this form, which say more than those of chat completions. */
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
