import type { ChatDelta, ToolCallDelta } from '../../wire/chat-chunk.ts';
import type { ReasoningDetail } from '../../wire/chat-request.ts';

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

type Open = { readonly kind: 'reasoning' | TextKind } | { readonly kind: 'call'; readonly call: PendingCall };

/**
 * Calls of tools may come interleaved, with each other and with texts. All but the first are then held back, in order:
 * a call has ended when its arguments are whole, or at the end of the completion.
 */
export function createSegmentWriter(sink: SegmentSink): SegmentWriter {
  let open: Open | null = null;
  const held = createHeldParts();
  const ended = new Set<number>();

  const close = (): void => {
    const closing = open;
    open = null;
    if (closing === null) return;
    if (closing.kind === 'reasoning') sink.endReasoning();
    else if (closing.kind === 'call') {
      ended.add(closing.call.index);
      sink.endCall();
    } else sink.endText();
  };

  /** Whether a part that differs from the open one may not start yet. */
  const mustWait = (): boolean => !held.isEmpty() || (open?.kind === 'call' && !isWhole(open.call.text));

  const writeReasoning = (detail: ReasoningDetail): void => {
    if (open?.kind !== 'reasoning') {
      if (mustWait()) {
        held.holdReasoning(detail);
        return;
      }
      close();
      open = { kind: 'reasoning' };
      sink.startReasoning();
    }
    sink.reasoning(detail);
  };

  const writeText = (kind: TextKind, text: string): void => {
    if (open?.kind !== kind) {
      if (mustWait()) {
        held.holdText(kind, text);
        return;
      }
      close();
      open = { kind };
      sink.startText(kind);
    }
    sink.text(text);
  };

  const startCall = (call: PendingCall): void => {
    close();
    open = { kind: 'call', call };
    sink.startCall(call.id, call.name);
    if (call.text !== '') sink.arguments(call.text);
  };

  const writeCall = ({ index, id = '', function: { name = '', arguments: text } }: ToolCallDelta): void => {
    if (open?.kind === 'call' && open.call.index === index) {
      open.call.text += text;
      if (text !== '') sink.arguments(text);
      return;
    }
    const waiting = held.findCall(index);
    if (waiting !== undefined) waiting.text += text;
    // What comes after arguments that are whole is white space.
    else if (ended.has(index)) return;
    else if (mustWait()) held.holdCall({ index, id, name, text });
    else startCall({ index, id, name, text });
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
      for (const waiting of held.take()) {
        if (waiting.kind === 'call') startCall(waiting.call);
        else if (waiting.kind === 'reasoning') for (const detail of waiting.details) writeReasoning(detail);
        else writeText(waiting.kind, waiting.text);
        close();
      }
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

/** What a text is: a completion, or why there is none. */
export type TextKind = 'text' | 'refusal';

/** A call of a tool, as far as its arguments have come. */
interface PendingCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  text: string;
}

type HeldPart =
  | { readonly kind: 'reasoning'; readonly details: ReasoningDetail[] }
  | { readonly kind: TextKind; text: string }
  | { readonly kind: 'call'; readonly call: PendingCall };

/** The parts of a completion that have to wait until another one has ended, in order. */
export interface HeldParts {
  isEmpty(): boolean;
  holdReasoning(detail: ReasoningDetail): void;
  holdText(kind: TextKind, text: string): void;
  holdCall(call: PendingCall): void;
  findCall(index: number): PendingCall | undefined;
  /** All of them, which then wait no longer. */
  take(): readonly HeldPart[];
}

function createHeldParts(): HeldParts {
  const held: HeldPart[] = [];
  return {
    isEmpty: () => held.length === 0,
    holdReasoning(detail) {
      const last = held.at(-1);
      if (last?.kind === 'reasoning') last.details.push(detail);
      else held.push({ kind: 'reasoning', details: [detail] });
    },
    holdText(kind, text) {
      const last = held.at(-1);
      if (last?.kind === kind) last.text += text;
      else held.push({ kind, text });
    },
    holdCall: (call) => void held.push({ kind: 'call', call }),
    findCall(index) {
      for (const part of held) if (part.kind === 'call' && part.call.index === index) return part.call;
      return undefined;
    },
    take: () => held.splice(0),
  };
}
