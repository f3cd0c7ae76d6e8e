import type { GenerationContent } from '../../../api/types.ts';

/** A part of a prompt and its completion, small enough to be handed over without holding up the page. */
export type ContentPiece =
  | { readonly type: 'messages'; readonly messages: readonly unknown[] }
  /** Everything but the messages; the last one. */
  | { readonly type: 'rest'; readonly hasMessages: boolean; readonly content: GenerationContent };

/** Characters of messages in a piece, unless a single one is longer. */
const PIECE_CHARACTERS = 256 * 1024;

/** Takes contents apart: what comes from another thread is copied, each piece in a turn of its own. */
export function* toPieces({ input, ...others }: GenerationContent): Generator<ContentPiece> {
  const { messages, ...inputOthers } = input;
  let piece: unknown[] = [];
  let characters = 0;
  for (const message of messages ?? []) {
    const length = toLength(message);
    if (characters > 0 && characters + length > PIECE_CHARACTERS) {
      yield { type: 'messages', messages: piece };
      piece = [];
      characters = 0;
    }
    piece.push(message);
    characters += length;
  }
  if (piece.length > 0) yield { type: 'messages', messages: piece };
  yield { type: 'rest', hasMessages: messages !== undefined, content: { ...others, input: inputOthers } };
}

/** Puts the pieces together again. Throws when the last one is missing. */
export function fromPieces(pieces: readonly ContentPiece[]): GenerationContent {
  const messages: unknown[] = [];
  for (const piece of pieces) {
    if (piece.type === 'rest') {
      const { content, hasMessages } = piece;
      return hasMessages ? { ...content, input: { ...content.input, messages } } : content;
    }
    for (const message of piece.messages) messages.push(message);
  }
  throw new Error('The end of the content is missing');
}

/** The characters of a message, roughly: most of them are in its content. */
function toLength(message: unknown): number {
  const content = typeof message === 'object' && message !== null && 'content' in message ? message.content : null;
  return typeof content === 'string' ? content.length + 100 : JSON.stringify(message).length;
}
