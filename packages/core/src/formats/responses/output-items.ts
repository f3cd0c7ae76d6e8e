import type { TextSpool } from '../../foundation/text-spool.ts';
import type { ReasoningDetail } from '../../wire/chat-request.ts';
import type { TextKind } from '../kit/write-segments.ts';

/** Receives events, each with the members that belong to its type, without its number. */
export type Emit = (type: string, members: Readonly<Record<string, unknown>>) => void;

/** Receives the events of a completion. */
export interface EventSink {
  readonly emit: Emit;
  /** Receives a piece of a text, the event of which there are many. `place`: the members of every piece, by `toPlace`. */
  emitPiece(type: string, place: string, piece: string): void;
}

/** The members that are the same in every piece of one text, serialised once. */
export const toPlace = (members: object): string => JSON.stringify(members).slice(1, -1);

/** An item of a response's output, as it is sent. */
export type Item = Record<string, unknown> & { readonly id: string; readonly type: string };

export function toTextPart(kind: TextKind, text: string | TextSpool): object {
  return kind === 'refusal'
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** Joins the pieces of each block of reasoning, which streams send with one number. */
export function joinDetails(pieces: readonly ReasoningDetail[]): ReasoningDetail[] {
  const joined: ReasoningDetail[] = [];
  for (const piece of pieces) {
    const known = joined.findLast(({ type, index }) => type === piece.type && index === piece['index']);
    if (known === undefined || piece.type === 'reasoning.encrypted') joined.push({ ...piece });
    else {
      for (const field of ['text', 'summary'] as const) {
        if (typeof piece[field] === 'string') known[field] = textOf(known[field]) + piece[field];
      }
      if (piece['signature']) known['signature'] = piece['signature'];
    }
  }
  return joined;
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const isSigned = ({ signature }: ReasoningDetail): boolean => textOf(signature) !== '';

/** Whether a provider needs more than the text to read its reasoning back. */
export const isSealed = (detail: ReasoningDetail): boolean =>
  detail.type === 'reasoning.encrypted' || isSigned(detail) || textOf(detail['id']) !== '';
