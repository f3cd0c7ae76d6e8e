import { isObject, isRecord, objectsOf, type Unchecked } from '../../../foundation/parse.ts';

/** A request with more marks than these is refused. */
const MOST_MARKS = 4;

/**
 * A body whose mark on the whole request is on the end of its last user turn, where it takes effect: the field itself is
 * known to Anthropic's own servers alone. The mark is left out where the caller has set as many as there may be.
 */
export function withMarkedEnd(body: Unchecked): Record<string, unknown> {
  if (!('cache_control' in body)) return body;
  const { cache_control: mark, ...rest } = body;
  const messages: readonly unknown[] = Array.isArray(rest['messages']) ? rest['messages'] : [];
  const place = messages.findLastIndex((message) => isObject(message) && message['role'] === 'user');
  const turn = messages[place];
  if (!isRecord(mark) || !isRecord(turn) || countMarks(rest) >= MOST_MARKS) return rest;
  return { ...rest, messages: messages.with(place, { ...turn, content: toMarked(turn['content'], mark) }) };
}

/** Content with a mark on its last block that takes one, unless that has one already. */
function toMarked(content: unknown, mark: Unchecked): unknown {
  const blocks: readonly unknown[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : [];
  const last = blocks.findLastIndex(takesMark);
  const block = blocks[last];
  if (!isRecord(block) || isObject(block['cache_control'])) return content;
  return blocks.with(last, { ...block, cache_control: mark });
}

/** Neither thoughts nor blank texts can be marked. */
function takesMark(block: unknown): boolean {
  if (!isRecord(block)) return false;
  const { type, text } = block;
  if (type === 'text') return typeof text === 'string' && text.trim() !== '';
  return type !== 'thinking' && type !== 'redacted_thinking';
}

function countMarks({ tools, system, messages }: Unchecked): number {
  const said = objectsOf(messages).flatMap(({ content }) => objectsOf(content));
  const results = said.flatMap(({ content }) => objectsOf(content));
  const blocks = [...objectsOf(tools), ...objectsOf(system), ...said, ...results];
  return blocks.filter(({ cache_control: mark }) => isObject(mark)).length;
}
