import { isObject, type Unchecked } from '../../../foundation/unchecked.ts';
import type { ChatDelta } from '../../../wire/chat/chat-chunk.ts';
import { REASONING_FORMAT } from '../request/to-anthropic-conversation.ts';

/** Converts the content blocks of one completion to deltas. Holds the state between the pieces of a block. */
export interface ContentBlockReader {
  /** Begins a block; its initial content is returned first. */
  start(index: number, block: Unchecked): ChatDelta | undefined;
  push(index: number, piece: Unchecked): ChatDelta | undefined;
  stop(index: number): ChatDelta | undefined;
  /** Drops blocks that were cut off because the message began again. Deltas that were already returned remain valid. */
  reset(): void;
  /** Completes all open blocks at the end of the completion. */
  flush(): ChatDelta;
  toolCallCount(): number;
}

type OpenBlock =
  | { readonly type: 'text'; readonly startsAt: number; readonly citations: Unchecked[] }
  | { readonly type: 'thinking'; readonly detail: number; signature: string }
  | {
      readonly type: 'tool';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      index: number | null;
    };

/**
 * Creates the reader of one completion's blocks. `makeId` makes the id of a tool call without one, from its number in
 * the completion. Blocks of tools that ran on the server, and unknown blocks, return nothing.
 */
export function createContentBlockReader(makeId: (number: number) => string): ContentBlockReader {
  const open = new Map<number, OpenBlock>();
  let textLength = 0;
  let detailCount = 0;
  let toolCallCount = 0;

  const textDelta = (text: string): ChatDelta | undefined => {
    textLength += text.length;
    return text === '' ? undefined : { content: text };
  };

  const thinkingDelta = (text: string, detail: number): ChatDelta | undefined =>
    text === ''
      ? undefined
      : {
          reasoning: text,
          reasoning_details: [{ type: 'reasoning.text', text, format: REASONING_FORMAT, index: detail }],
        };

  /** A call is returned with the first of its arguments, so that one which is cut off before them is never returned. */
  const argumentsDelta = (tool: Extract<OpenBlock, { type: 'tool' }>, text: string): ChatDelta => {
    if (tool.index !== null) return { tool_calls: [{ index: tool.index, function: { arguments: text } }] };
    tool.index = toolCallCount;
    toolCallCount += 1;
    const id = tool.id === '' ? makeId(tool.index) : tool.id;
    return {
      tool_calls: [{ index: tool.index, id, type: 'function', function: { name: tool.name, arguments: text } }],
    };
  };

  const finishBlock = (block: OpenBlock): ChatDelta | undefined => {
    switch (block.type) {
      case 'text': {
        const annotations = block.citations.flatMap((citation) => toAnnotation(citation, block.startsAt, textLength));
        return annotations.length > 0 ? { annotations } : undefined;
      }
      case 'thinking':
        if (block.signature === '') return undefined;
        return {
          reasoning_details: [
            {
              type: 'reasoning.text',
              text: '',
              signature: block.signature,
              format: REASONING_FORMAT,
              index: block.detail,
            },
          ],
        };
      case 'tool':
        return block.index === null ? argumentsDelta(block, JSON.stringify(block.input ?? {})) : undefined;
    }
  };

  const startBlock = (index: number, block: Unchecked): ChatDelta | undefined => {
    switch (block['type']) {
      case 'text': {
        const citations = Array.isArray(block['citations']) ? block['citations'].filter(isObject) : [];
        open.set(index, { type: 'text', startsAt: textLength, citations });
        return textDelta(textOf(block['text']));
      }
      case 'thinking': {
        const thinking = { type: 'thinking' as const, detail: detailCount, signature: textOf(block['signature']) };
        detailCount += 1;
        open.set(index, thinking);
        return thinkingDelta(textOf(block['thinking']), thinking.detail);
      }
      case 'redacted_thinking': {
        const index = detailCount;
        detailCount += 1;
        const data = textOf(block['data']);
        return { reasoning_details: [{ type: 'reasoning.encrypted', data, format: REASONING_FORMAT, index }] };
      }
      case 'tool_use': {
        const { id, name, input } = block;
        open.set(index, { type: 'tool', id: textOf(id), name: textOf(name), input, index: null });
        return undefined;
      }
      default:
        return undefined;
    }
  };

  const stop = (index: number): ChatDelta | undefined => {
    const block = open.get(index);
    open.delete(index);
    return block && finishBlock(block);
  };

  return {
    start(index, block) {
      const cutOff = open.get(index);
      if (cutOff === undefined) return startBlock(index, block);
      const delta: ChatDelta = {};
      if (cutOff.type === 'tool') open.delete(index);
      else addDelta(delta, stop(index));
      addDelta(delta, startBlock(index, block));
      return delta;
    },

    push(index, piece) {
      const block = open.get(index);
      switch (piece['type']) {
        case 'text_delta':
          return textDelta(textOf(piece['text']));
        case 'input_json_delta': {
          const text = textOf(piece['partial_json']);
          return block?.type === 'tool' && text !== '' ? argumentsDelta(block, text) : undefined;
        }
        case 'thinking_delta':
          return block?.type === 'thinking' ? thinkingDelta(textOf(piece['thinking']), block.detail) : undefined;
        case 'signature_delta':
          if (block?.type === 'thinking') block.signature += textOf(piece['signature']);
          return undefined;
        case 'citations_delta':
          if (block?.type === 'text' && isObject(piece['citation'])) block.citations.push(piece['citation']);
          return undefined;
        default:
          return undefined;
      }
    },

    stop,

    reset: () => open.clear(),

    flush() {
      const delta: ChatDelta = {};
      for (const block of open.values()) addDelta(delta, finishBlock(block));
      open.clear();
      return delta;
    },

    toolCallCount: () => toolCallCount,
  };
}

/** Adds one delta to another, so that pieces of the same reasoning and the same call become one. */
export function addDelta(sum: ChatDelta, delta: ChatDelta | undefined): void {
  if (delta === undefined) return;
  if (delta.content) sum.content = (sum.content ?? '') + delta.content;
  if (delta.reasoning) sum.reasoning = (sum.reasoning ?? '') + delta.reasoning;
  for (const detail of delta.reasoning_details ?? []) {
    const known = sum.reasoning_details?.find((other) => other['index'] === detail['index']);
    if (known === undefined) (sum.reasoning_details ??= []).push({ ...detail });
    else Object.assign(known, detail, { text: textOf(known['text']) + textOf(detail['text']) });
  }
  if (delta.tool_calls) (sum.tool_calls ??= []).push(...delta.tool_calls);
  if (delta.annotations) (sum.annotations ??= []).push(...delta.annotations);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A citation that names a page; one that points into a document of the caller's has no form on our wire. */
function toAnnotation({ url, title, cited_text }: Unchecked, start: number, end: number): object[] {
  if (typeof url !== 'string') return [];
  return [
    {
      type: 'url_citation',
      url_citation: {
        url,
        title: textOf(title),
        ...(typeof cited_text === 'string' && { content: cited_text }),
        start_index: start,
        end_index: end,
      },
    },
  ];
}
