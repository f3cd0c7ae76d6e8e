import type { ChatDelta, ToolCallDelta } from '../../wire/chat/chat-chunk.ts';
import type { ReasoningDetail } from '../../wire/chat/chat-message.ts';
import { toSignature } from './signature.ts';
import { ANTHROPIC_FORMAT } from './to-chat-messages.ts';

/** Receives content blocks: one is open at a time, their numbers have no gaps (wire.md). */
export interface BlockSink {
  start(index: number, block: Readonly<Record<string, unknown>>): void;
  /** `text` is the one member of the delta that differs from type to type. */
  delta(index: number, type: DeltaType, text: string): void;
  stop(index: number): void;
}

export type DeltaType = 'text_delta' | 'thinking_delta' | 'signature_delta' | 'input_json_delta';

/** Writes the deltas of one completion as content blocks. */
export interface BlockWriter {
  write(delta: ChatDelta): void;
  /** Ends the block that is open, and writes those that were held back. */
  end(): void;
}

interface HeldCall {
  readonly id: string;
  readonly name: string;
  text: string;
}

type OpenBlock =
  | { readonly kind: 'text' }
  | { readonly kind: 'thinking' }
  /** `text`: its arguments so far. */
  | { readonly kind: 'tool'; readonly call: number; text: string };

/**
 * Calls of tools that come interleaved are held back, all but the first: only one block may be open. `makeId` makes the
 * id of a call that has none, from its number.
 */
export function createBlockWriter(sink: BlockSink): BlockWriter {
  let next = 0;
  let open: OpenBlock | null = null;
  let foreign: ReasoningDetail[] = [];
  const held = new Map<number, HeldCall>();
  const ended = new Set<number>();

  const start = (block: OpenBlock, content: Readonly<Record<string, unknown>>): void => {
    close();
    open = block;
    sink.start(next, content);
  };
  const close = (): void => {
    if (open === null) return;
    if (open.kind === 'thinking' && foreign.length > 0) {
      sink.delta(next, 'signature_delta', toSignature(foreign));
      foreign = [];
    }
    if (open.kind === 'tool') ended.add(open.call);
    open = null;
    sink.stop(next);
    next += 1;
  };

  const think = (text: string): void => {
    if (text === '') return;
    startThinking();
    sink.delta(next, 'thinking_delta', text);
  };
  const startThinking = (): void => {
    if (open?.kind !== 'thinking') start({ kind: 'thinking' }, { type: 'thinking', thinking: '', signature: '' });
  };
  const writeDetail = (detail: ReasoningDetail): void => {
    const { type, text, summary, data, signature, format } = detail;
    if (type === 'reasoning.text') think(textOf(text));
    if (type === 'reasoning.summary') think(textOf(summary));
    const isOwn = (format ?? ANTHROPIC_FORMAT) === ANTHROPIC_FORMAT;
    if (isOwn && type === 'reasoning.encrypted') {
      start({ kind: 'text' }, { type: 'redacted_thinking', data: textOf(data) });
      close();
    } else if (isOwn && textOf(signature) !== '') {
      startThinking();
      sink.delta(next, 'signature_delta', textOf(signature));
      close();
    } else if (type === 'reasoning.encrypted' || textOf(signature) !== '') foreign.push(detail);
  };

  const writeText = (text: string): void => {
    if (open?.kind !== 'text') start({ kind: 'text' }, { type: 'text', text: '', citations: null });
    sink.delta(next, 'text_delta', text);
  };

  const startCall = (call: number, { id, name, text }: HeldCall): void => {
    start({ kind: 'tool', call, text }, { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } });
    if (text !== '') sink.delta(next, 'input_json_delta', text);
  };
  const writeCall = ({ index, id = '', function: { name = '', arguments: text } }: ToolCallDelta): void => {
    if (open?.kind === 'tool' && open.call === index) {
      open.text += text;
      if (text !== '') sink.delta(next, 'input_json_delta', text);
      return;
    }
    const waiting = held.get(index);
    if (waiting !== undefined) waiting.text += text;
    else if (ended.has(index)) return;
    else if (open?.kind === 'tool' && !isWhole(open.text)) held.set(index, { id, name, text });
    else startCall(index, { id, name, text });
  };

  return {
    write({ reasoning, reasoning_details: details, content, refusal, tool_calls: calls }) {
      if (details !== undefined && details.length > 0) for (const detail of details) writeDetail(detail);
      else if (reasoning) think(reasoning);
      // What belongs to a call comes with it, and goes before it.
      if (foreign.length > 0 && calls !== undefined && open?.kind !== 'tool') startThinking();
      if (content) writeText(content);
      if (refusal) writeText(refusal);
      for (const call of calls ?? []) writeCall(call);
    },
    end() {
      if (foreign.length > 0 && open?.kind !== 'thinking') startThinking();
      close();
      for (const [call, waiting] of held) startCall(call, waiting);
      close();
    },
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function isWhole(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
