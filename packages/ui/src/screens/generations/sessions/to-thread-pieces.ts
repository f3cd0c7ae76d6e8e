import type { GenerationContent } from '../../../api/types.ts';
import { toParts } from '../detail/message-parts.ts';

/** Messages of a call in their order: those that are new, and runs of others that are folded. */
export type ThreadPiece =
  | { readonly type: 'new'; readonly messages: readonly unknown[] }
  /** `known`: a call before had them. `early`: a long beginning that no call before had. */
  | { readonly type: 'folded'; readonly reason: 'known' | 'early'; readonly count: number };

/** New messages that are shown at most; what comes before them is folded. */
const MAX_SHOWN = 12;

/**
 * Compares the messages of a call with those of a call before and its completion. What that call had already, in the
 * same order, is folded, also where something before it has changed, such as a date in a system prompt.
 */
export function toThreadPieces(content: GenerationContent, before: GenerationContent | null): ThreadPiece[] {
  const messages = messagesOf(content);
  const isKnown = before === null ? () => false : createKnown(before);
  const marked = messages.map((message) => ({ message, isNew: !isKnown(message) }));
  const surplus = marked.filter(({ isNew }) => isNew).length - MAX_SHOWN;
  const pieces: ThreadPiece[] = [];
  let early = 0;
  for (const { message, isNew } of marked) {
    const reason = isNew && early < surplus ? 'early' : 'known';
    if (isNew && reason === 'early') early += 1;
    const last = pieces.at(-1);
    if (isNew && reason === 'known') {
      if (last?.type === 'new') pieces[pieces.length - 1] = { type: 'new', messages: [...last.messages, message] };
      else pieces.push({ type: 'new', messages: [message] });
    } else if (last?.type === 'folded' && last.reason === reason) {
      pieces[pieces.length - 1] = { ...last, count: last.count + 1 };
    } else pieces.push({ type: 'folded', reason, count: 1 });
  }
  return pieces;
}

/** Number of messages of a call that a call before had. */
export const countKnown = (pieces: readonly ThreadPiece[]): number =>
  pieces.reduce((sum, piece) => sum + (piece.type === 'folded' && piece.reason === 'known' ? piece.count : 0), 0);

const messagesOf = ({ input }: GenerationContent): readonly unknown[] =>
  input.messages ?? [{ role: 'user', content: input.prompt ?? '' }];

/** Tells of one message after the other whether the call had it after the one before. */
function createKnown(before: GenerationContent): (message: unknown) => boolean {
  const keys = messagesOf(before).map(keyOf);
  const { completion, tool_calls: calls } = before.output;
  if (completion !== null || calls !== undefined) {
    keys.push(keyOf({ role: 'assistant', content: completion, tool_calls: calls }));
  }
  let at = 0;
  return (message) => {
    const found = keys.indexOf(keyOf(message), at);
    if (found === -1) return false;
    at = found + 1;
    return true;
  };
}

/** What a message says, however its client has written it down: with a text or with parts, and white space around it. */
function keyOf(message: unknown): string {
  const { role, parts } = toParts(message);
  const said = parts.map((part) =>
    part.type === 'text'
      ? part.text.trim()
      : part.type === 'tool-call'
        ? [part.name, part.text]
        : [part.origin, part.bytes],
  );
  return JSON.stringify([role, ...said.filter((text) => text !== '')]);
}
