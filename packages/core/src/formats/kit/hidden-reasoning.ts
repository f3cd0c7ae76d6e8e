import type { ChatDelta } from '../../wire/chat-chunk.ts';
import type { ChatCompletionRequest } from '../../wire/chat-request.ts';

/** Whether the caller wants no reasoning given back (wire.md 6.6). */
export function isReasoningHidden({ reasoning, include_reasoning: included }: ChatCompletionRequest): boolean {
  return reasoning?.exclude === true || included === false;
}

export function withoutReasoning(delta: ChatDelta): ChatDelta {
  const { reasoning: _text, reasoning_details: _details, ...others } = delta;
  return others;
}
