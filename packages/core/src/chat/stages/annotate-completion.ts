import type { ChatChunk } from '../../wire/chat/chat-chunk.ts';
import type { CommittedAnswer } from '../../dispatch/run-attempts.ts';

/** Adds annotations to the beginning of an answer. */
export function annotateAnswer(answer: CommittedAnswer, annotations: readonly unknown[]): CommittedAnswer {
  if (annotations.length === 0) return answer;
  let isDone = false;
  const first = answer.first.map((chunk): ChatChunk => ({
    ...chunk,
    choices: chunk.choices.map((choice) => {
      if (isDone || choice.index !== 0) return choice;
      isDone = true;
      const { delta } = choice;
      return { ...choice, delta: { ...delta, annotations: [...(delta.annotations ?? []), ...annotations] } };
    }),
  }));
  return Object.assign(answer, { first });
}
