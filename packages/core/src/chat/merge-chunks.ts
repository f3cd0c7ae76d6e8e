import { createCompletionAccumulator } from '../generations/observe/completion-accumulator.ts';
import type { ChatChunk, ChatDelta } from '../wire/chat/chat-chunk.ts';

/** Makes the one chunk of a whole answer out of its pieces. Usage is left out. */
export function mergeChunks(chunks: readonly ChatChunk[]): ChatChunk {
  const answer = createCompletionAccumulator();
  answer.observe(chunks);
  answer.readBack();
  const deltas = chunks.flatMap(({ choices }) => choices).map(({ delta }) => delta);
  const refusal = deltas.map((delta) => delta.refusal ?? '').join('');
  const content = deltas.map((delta) => delta.content ?? '').join('');
  const audio = deltas.findLast((delta) => delta.audio !== undefined)?.audio;
  const delta: ChatDelta = {
    content: content === '' ? null : content,
    ...(refusal !== '' && { refusal }),
    ...(answer.reasoning !== '' && { reasoning: answer.reasoning }),
    ...listOf(deltas, 'reasoning_details'),
    ...listOf(deltas, 'images'),
    ...listOf(deltas, 'annotations'),
    ...(answer.toolCalls.length > 0 && { tool_calls: answer.toolCalls.map((call, index) => ({ ...call, index })) }),
    ...(audio !== undefined && { audio }),
  };
  return {
    choices: [
      {
        index: 0,
        delta,
        finish_reason: answer.finish?.reason ?? null,
        native_finish_reason: answer.finish?.native ?? null,
      },
    ],
    ...(answer.upstreamId !== undefined && { upstreamId: answer.upstreamId }),
    ...(answer.systemFingerprint !== undefined && { systemFingerprint: answer.systemFingerprint }),
    ...(answer.serviceTier !== undefined && { serviceTier: answer.serviceTier }),
  };
}

function listOf(
  deltas: readonly ChatDelta[],
  field: 'reasoning_details' | 'images' | 'annotations',
): Partial<ChatDelta> {
  const list = deltas.flatMap((delta) => delta[field] ?? []);
  return list.length === 0 ? {} : { [field]: list };
}
