import type { ChatDelta, ToolCallDelta } from '../../wire/chat/chat-chunk.ts';
import type { ReasoningDetail } from '../../wire/chat/chat-message.ts';

/** What a text is: a completion, or why there is none. */
export type TextKind = 'text' | 'refusal';

/** Receives the parts of one completion, one after the other: each is ended before the next one starts. */
export interface SegmentSink {
  startReasoning(): void;
  reasoning(detail: ReasoningDetail): void;
  endReasoning(): void;
  startText(kind: TextKind): void;
  text(text: string): void;
  endText(): void;
  startCall(id: string, name: string): void;
  /** A piece of the arguments of the call, which are JSON once it has ended. */
  arguments(text: string): void;
  endCall(): void;
}

/** Tells a sink the deltas of one completion as parts that follow each other. */
export interface SegmentWriter {
  write(delta: ChatDelta): void;
  /** Ends the part that is open, and writes calls that were held back. */
  end(): void;
}

interface HeldCall {
  readonly id: string;
  readonly name: string;
  text: string;
}

type Open = { readonly kind: 'reasoning' | TextKind } | { readonly kind: 'call'; readonly index: number; text: string };

/**
 * Calls of tools may come interleaved. All but the first are then held back until it has ended, which is known when its
 * arguments are whole, or at the end of the completion.
 */
export function createSegmentWriter(sink: SegmentSink): SegmentWriter {
  let open: Open | null = null;
  const held = new Map<number, HeldCall>();
  const ended = new Set<number>();

  const close = (): void => {
    const closing = open;
    open = null;
    if (closing === null) return;
    if (closing.kind === 'reasoning') sink.endReasoning();
    else if (closing.kind === 'call') {
      ended.add(closing.index);
      sink.endCall();
    } else sink.endText();
  };

  const writeReasoning = (detail: ReasoningDetail): void => {
    if (open?.kind !== 'reasoning') {
      close();
      open = { kind: 'reasoning' };
      sink.startReasoning();
    }
    sink.reasoning(detail);
  };

  const writeText = (kind: TextKind, text: string): void => {
    if (open?.kind !== kind) {
      close();
      open = { kind };
      sink.startText(kind);
    }
    sink.text(text);
  };

  const startCall = (index: number, { id, name, text }: HeldCall): void => {
    close();
    open = { kind: 'call', index, text };
    sink.startCall(id, name);
    if (text !== '') sink.arguments(text);
  };

  const writeCall = ({ index, id = '', function: { name = '', arguments: text } }: ToolCallDelta): void => {
    if (open?.kind === 'call' && open.index === index) {
      open.text += text;
      if (text !== '') sink.arguments(text);
      return;
    }
    const waiting = held.get(index);
    if (waiting !== undefined) waiting.text += text;
    // What comes after arguments that are whole is white space.
    else if (ended.has(index)) return;
    else if (open?.kind === 'call' && !isWhole(open.text)) held.set(index, { id, name, text });
    else startCall(index, { id, name, text });
  };

  return {
    write({ reasoning, reasoning_details: details, content, refusal, tool_calls: calls }) {
      // The details repeat the text of the reasoning.
      if (details !== undefined && details.length > 0) for (const detail of details) writeReasoning(detail);
      else if (reasoning) writeReasoning({ type: 'reasoning.text', text: reasoning, format: 'unknown' });
      if (content) writeText('text', content);
      if (refusal) writeText('refusal', refusal);
      for (const call of calls ?? []) writeCall(call);
    },
    end() {
      close();
      for (const [index, waiting] of held) startCall(index, waiting);
      close();
    },
  };
}

function isWhole(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
