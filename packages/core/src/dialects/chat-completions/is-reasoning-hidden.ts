import type { ChatCompletionRequest } from '../../wire/chat/chat-completion.ts';

/** Whether the caller requested a completion without its reasoning. */
export function isReasoningHidden({ reasoning, include_reasoning: included }: ChatCompletionRequest): boolean {
  return reasoning?.exclude === true || included === false;
}
