import type { ChatChunk } from '../../wire/chat-chunk.ts';
import type { CommittedCompletion } from '../committed-completion.ts';

/** A completion with annotations added to its beginning. */
export function annotateCompletion(
  completion: CommittedCompletion,
  annotations: readonly unknown[],
): CommittedCompletion {
  if (annotations.length === 0) return completion;
  let isDone = false;
  const first = completion.first.map((chunk): ChatChunk => ({
    ...chunk,
    choices: chunk.choices.map((choice) => {
      if (isDone || choice.index !== 0) return choice;
      isDone = true;
      const { delta } = choice;
      return { ...choice, delta: { ...delta, annotations: [...(delta.annotations ?? []), ...annotations] } };
    }),
  }));
  return { ...completion, first };
}
