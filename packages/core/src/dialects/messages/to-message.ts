import type { WholeCompletion } from '../../chat/dialect.ts';
import { isRecord, type Unchecked } from '../../foundation/parse.ts';
import { type BlockSink, createBlockWriter } from './block-writer.ts';
import { toCosts, toMessagesUsage, toStopReason } from './to-usage.ts';
import { toInput } from './tool-input.ts';

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
