import type { ChatMessage } from '../wire/chat/chat-message.ts';
import type { GenerationContent } from '../wire/generations/generation.ts';
import type { EndedCall } from './ended-call.ts';
import type { CompletionAccumulator } from './observe/completion-accumulator.ts';
import { toToolCallRecord } from './tool-steps.ts';

/** Converts the messages and the completion of a chat to the form of `GET /generation/content`. */
export function toGenerationContent(
  { attempts, outcome, steps }: EndedCall,
  messages: ChatMessage[],
  completion: CompletionAccumulator,
): GenerationContent {
  const error = outcome.status === 'completed' ? null : outcome.error;
  // The last failure of a call without a completion is the call's own error, in a copy that names the earlier ones. It
  // is not listed twice.
  const before = outcome.status === 'failed' ? attempts.slice(0, -1) : attempts;
  const failed = before.filter((attempt) => attempt.error !== error);
  return {
    input: { messages },
    output: {
      completion: completion.text === '' ? null : completion.text,
      reasoning: completion.reasoning === '' ? null : completion.reasoning,
      ...(completion.toolCalls.length > 0 && { tool_calls: [...completion.toolCalls] }),
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
