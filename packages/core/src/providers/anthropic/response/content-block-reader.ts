import { appendAll } from '../../../foundation/append-all.ts';
import { isObject, type Unchecked } from '../../../foundation/parse.ts';
import type { ChatDelta } from '../../../wire/chat-chunk.ts';
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

/** How much of a completion has been returned, and its blocks that have begun and not ended. */
interface Progress {
  readonly makeId: (number: number) => string;
  readonly open: Map<number, OpenBlock>;
  textLength: number;
  detailCount: number;
  toolCallCount: number;
}

/**
 * Creates the reader of one completion's blocks. `makeId` makes the id of a tool call without one, from its number in
 * the completion. Blocks of tools that ran on the server, and unknown blocks, return nothing.
 */
export function createContentBlockReader(makeId: (number: number) => string): ContentBlockReader {
  const open = new Map<number, OpenBlock>();
  const progress: Progress = { makeId, open, textLength: 0, detailCount: 0, toolCallCount: 0 };

  const stop = (index: number): ChatDelta | undefined => {
    const block = open.get(index);
    open.delete(index);
    return block && finishBlock(progress, block);
  };

  return {
    start(index, block) {
      const cutOff = open.get(index);
      if (cutOff === undefined) return startBlock(progress, index, block);
      const delta: ChatDelta = {};
      if (cutOff.type === 'tool') open.delete(index);
      else addDelta(delta, stop(index));
      addDelta(delta, startBlock(progress, index, block));
      return delta;
    },
    push: (index, piece) => readPiece(progress, open.get(index), piece),
    stop,
    reset: () => open.clear(),
    flush() {
      const delta: ChatDelta = {};
      for (const block of open.values()) addDelta(delta, finishBlock(progress, block));
      open.clear();
      return delta;
    },
    toolCallCount: () => progress.toolCallCount,
  };
}

function startBlock(progress: Progress, index: number, block: Unchecked): ChatDelta | undefined {
  const { open } = progress;
  switch (block['type']) {
    case 'text': {
      const citations = Array.isArray(block['citations']) ? block['citations'].filter(isObject) : [];
      open.set(index, { type: 'text', startsAt: progress.textLength, citations });
      return textDelta(progress, textOf(block['text']));
    }
    case 'thinking': {
      const detail = progress.detailCount;
      progress.detailCount += 1;
      open.set(index, { type: 'thinking', detail, signature: textOf(block['signature']) });
      return thinkingDelta(textOf(block['thinking']), detail);
    }
    case 'redacted_thinking': {
      const data = textOf(block['data']);
      const index = progress.detailCount;
      progress.detailCount += 1;
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
}

function readPiece(progress: Progress, block: OpenBlock | undefined, piece: Unchecked): ChatDelta | undefined {
  switch (piece['type']) {
    case 'text_delta':
      return textDelta(progress, textOf(piece['text']));
    case 'input_json_delta': {
      const text = textOf(piece['partial_json']);
      return block?.type === 'tool' && text !== '' ? argumentsDelta(progress, block, text) : undefined;
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
}

function finishBlock(progress: Progress, block: OpenBlock): ChatDelta | undefined {
  switch (block.type) {
    case 'text': {
      const { citations, startsAt } = block;
      const annotations = citations.flatMap((citation) => toAnnotation(citation, startsAt, progress.textLength));
      return annotations.length > 0 ? { annotations } : undefined;
    }
    case 'thinking': {
      const { signature, detail: index } = block;
      if (signature === '') return undefined;
      return { reasoning_details: [{ type: 'reasoning.text', text: '', signature, format: REASONING_FORMAT, index }] };
    }
    case 'tool':
      return block.index === null ? argumentsDelta(progress, block, JSON.stringify(block.input ?? {})) : undefined;
  }
}

function textDelta(progress: Progress, text: string): ChatDelta | undefined {
  progress.textLength += text.length;
  return text === '' ? undefined : { content: text };
}

function thinkingDelta(text: string, index: number): ChatDelta | undefined {
  if (text === '') return undefined;
  return { reasoning: text, reasoning_details: [{ type: 'reasoning.text', text, format: REASONING_FORMAT, index }] };
}

/** A call is returned with the first of its arguments, so that one which is cut off before them is never returned. */
function argumentsDelta(progress: Progress, tool: Extract<OpenBlock, { type: 'tool' }>, text: string): ChatDelta {
  if (tool.index !== null) return { tool_calls: [{ index: tool.index, function: { arguments: text } }] };
  tool.index = progress.toolCallCount;
  progress.toolCallCount += 1;
  const id = tool.id === '' ? progress.makeId(tool.index) : tool.id;
  return {
    tool_calls: [{ index: tool.index, id, type: 'function', function: { name: tool.name, arguments: text } }],
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
  if (delta.tool_calls) appendAll((sum.tool_calls ??= []), delta.tool_calls);
  if (delta.annotations) appendAll((sum.annotations ??= []), delta.annotations);
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
