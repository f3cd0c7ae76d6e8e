import type { Steps } from '../foundation/queues.ts';
import type { ChatChunk, ChatDelta } from '../wire/chat-chunk.ts';

/** Text fields of a completion that arrive in pieces. */
export const TEXT_FIELDS = ['content', 'reasoning', 'refusal'] as const;

/** The transcript of the audio arrives as text, too, and in pieces. */
export function isSpoken(audio: unknown): audio is { readonly transcript: string } {
  return typeof audio === 'object' && audio !== null && 'transcript' in audio && typeof audio.transcript === 'string';
}

/** Takes long pieces of a completion's texts. */
export interface TextsAhead {
  /** Adds a piece of a text, in steps; what may be sent of it is sent with the text's next piece. */
  pushAhead(name: string, piece: string, isJson?: boolean): Steps<void>;
}

/** Length of all pieces of texts in a chunk. */
export function lengthOf({ choices }: ChatChunk): number {
  let length = 0;
  for (const { delta } of choices) {
    for (const field of TEXT_FIELDS) length += delta[field]?.length ?? 0;
    for (const call of delta.tool_calls ?? []) length += call.function.arguments.length;
    if (isSpoken(delta.audio)) length += delta.audio.transcript.length;
  }
  return length;
}

/** Guards the texts of a chunk ahead of it. Returns the chunk with empty texts in their places. */
export function* guardAhead(chunk: ChatChunk, texts: TextsAhead): Steps<ChatChunk> {
  const choices: ChatChunk['choices'] = [];
  for (const choice of chunk.choices) choices.push({ ...choice, delta: yield* emptyDelta(choice, texts) });
  return { ...chunk, choices };
}

function* emptyDelta({ index, delta }: ChatChunk['choices'][number], texts: TextsAhead): Steps<ChatDelta> {
  const left: ChatDelta = { ...delta };
  for (const field of TEXT_FIELDS) {
    const piece = delta[field];
    if (piece === undefined || piece === null) continue;
    yield* texts.pushAhead(`${index} ${field}`, piece);
    left[field] = '';
  }
  const { audio, tool_calls: calls } = delta;
  if (isSpoken(audio)) {
    yield* texts.pushAhead(`${index} transcript`, audio.transcript);
    left.audio = { ...audio, transcript: '' };
  }
  if (calls === undefined) return left;
  left.tool_calls = [];
  for (const call of calls) {
    yield* texts.pushAhead(`${index} call ${call.index}`, call.function.arguments, true);
    left.tool_calls.push({ ...call, function: { ...call.function, arguments: '' } });
  }
  return left;
}
