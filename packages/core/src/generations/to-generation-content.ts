import type { GenerationContent } from '../wire/generations/generation.ts';
import type { EndedCall } from './observe/observed-call.ts';
import { toToolCallRecord } from './tool-steps.ts';

/** What was asked and answered, as `GET /generation/content` tells it. */
export function toGenerationContent({
  call: { request },
  answer,
  attempts,
  outcome,
  steps,
}: EndedCall): GenerationContent {
  const error = outcome.status === 'completed' ? null : outcome.error;
  // The last failure of a call without an answer is the error itself, told again with those before it.
  const before = outcome.status === 'failed' ? attempts.slice(0, -1) : attempts;
  const failed = before.filter((attempt) => attempt.error !== error);
  return {
    input: { messages: request.messages },
    output: {
      completion: answer.text === '' ? null : answer.text,
      reasoning: answer.reasoning === '' ? null : answer.reasoning,
      ...(answer.toolCalls.length > 0 && { tool_calls: [...answer.toolCalls] }),
      ...(steps.length > 0 && { server_tool_calls: steps.map(toToolCallRecord) }),
    },
    error: error && {
      message: error.message,
      status: error.status,
      provider_name: attempts.at(-1)?.endpoint.provider.name ?? null,
      raw: null,
      previous_errors: failed.flatMap((attempt) =>
        attempt.error === null
          ? []
          : [
              {
                code: attempt.error.status,
                message: attempt.error.message,
                provider_name: attempt.endpoint.provider.name,
              },
            ],
      ),
    },
  };
}
