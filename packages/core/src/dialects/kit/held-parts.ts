import type { ReasoningDetail } from '../../wire/chat-request.ts';

/** What a text is: a completion, or why there is none. */
export type TextKind = 'text' | 'refusal';

/** A call of a tool, as far as its arguments have come. */
export interface PendingCall {
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

export function createHeldParts(): HeldParts {
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
