import type { WholeCompletion } from '../../chat/dialect.ts';
import { toErrorBody } from '../../foundation/errors.ts';
import type { ChatCompletionResult, ChatDelta } from '../../wire/chat-chunk.ts';

/** The body of an unstreamed chat completion. With `hidesReasoning`, reasoning is left out of it. */
export function toResult(completion: WholeCompletion, hidesReasoning: boolean): ChatCompletionResult {
  const { id, created, model, provider, chunks, failure, systemFingerprint, serviceTier, citations } = completion;
  const { usage, members } = completion;
  const result: ChatCompletionResult = {
    id,
    object: 'chat.completion',
    created,
    model,
    provider,
    choices: [],
    system_fingerprint: systemFingerprint ?? null,
  };
  for (const { choices } of chunks) {
    for (const { index, delta, finish_reason, native_finish_reason, logprobs = null } of choices) {
      const message = toMessage(delta, hidesReasoning);
      const choice: ResultChoice = { index, finish_reason, native_finish_reason, logprobs, message };
      if (finish_reason === 'error' && failure !== null) choice.error = toErrorBody(failure);
      result.choices.push(choice);
    }
  }
  if (serviceTier !== undefined) result.service_tier = serviceTier;
  if (citations !== undefined) result.citations = [...citations];
  if (usage !== undefined) result.usage = usage;
  return members === undefined ? result : { ...result, ...members };
}

type ResultChoice = ChatCompletionResult['choices'][number];
type ResultMessage = ResultChoice['message'];

function toMessage(delta: ChatDelta, hidesReasoning: boolean): ResultMessage {
  const { content = null, refusal = null, reasoning = null } = delta;
  const message: ResultMessage = { role: 'assistant', content, refusal, reasoning: hidesReasoning ? null : reasoning };
  if (delta.reasoning_details && !hidesReasoning) message.reasoning_details = delta.reasoning_details;
  if (delta.tool_calls) {
    message.tool_calls = delta.tool_calls.map(({ id = '', function: { name = '', arguments: given } }) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: given },
    }));
  }
  if (delta.images !== undefined) message.images = delta.images;
  if (delta.audio !== undefined) message.audio = delta.audio;
  if (delta.annotations !== undefined) message.annotations = delta.annotations;
  return message;
}
