import { createCompletionAccumulator } from '../generations/completion-accumulator.ts';
import type { ChatChunk, ChatDelta } from '../wire/chat-chunk.ts';

/** Merges the pieces of a completion into one chunk. Usage is left out. */
export function mergeChunks(chunks: readonly ChatChunk[]): ChatChunk {
  const completion = createCompletionAccumulator();
  completion.observe(chunks);
  completion.readBack();
  const deltas = chunks.flatMap(({ choices }) => choices).map(({ delta }) => delta);
  const refusal = deltas.map((delta) => delta.refusal ?? '').join('');
  const content = deltas.map((delta) => delta.content ?? '').join('');
  const audio = deltas.findLast((delta) => delta.audio !== undefined)?.audio;
  const delta: ChatDelta = {
    content: content === '' ? null : content,
    ...(refusal !== '' && { refusal }),
    ...(completion.reasoning !== '' && { reasoning: completion.reasoning }),
    ...listOf(deltas, 'reasoning_details'),
    ...listOf(deltas, 'images'),
    ...listOf(deltas, 'annotations'),
    ...(completion.toolCalls.length > 0 && {
      tool_calls: completion.toolCalls.map((call, index) => ({ ...call, index })),
    }),
    ...(audio !== undefined && { audio }),
  };
  return {
    choices: [
      {
        index: 0,
        delta,
        finish_reason: completion.finish?.reason ?? null,
        native_finish_reason: completion.finish?.native ?? null,
      },
    ],
    ...(completion.upstream !== undefined && { upstream: completion.upstream }),
    ...(completion.upstreamId !== undefined && { upstreamId: completion.upstreamId }),
    ...(completion.systemFingerprint !== undefined && { systemFingerprint: completion.systemFingerprint }),
    ...(completion.serviceTier !== undefined && { serviceTier: completion.serviceTier }),
  };
}

function listOf(
  deltas: readonly ChatDelta[],
  field: 'reasoning_details' | 'images' | 'annotations',
): Partial<ChatDelta> {
  const lists = deltas.flatMap((delta) => (delta[field] === undefined ? [] : [delta[field]]));
  return lists.length === 0 ? {} : { [field]: lists.flat() };
}
