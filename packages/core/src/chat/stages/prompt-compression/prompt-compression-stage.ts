import { type Compression, isCompressed } from '../../../calls/call-kind.ts';
import type { Pipeline } from '../../../calls/model-call.ts';
import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import { compressionOf } from '../../plugins.ts';
import type { FitRequest, Stage } from '../stage.ts';
import { compressMessages, weighMessages } from './compress-messages.ts';

/** Shortens prompts that are too long for an endpoint, where the request admits it (wire.md 9.2). */
export const promptCompressionStage: Stage = {
  plugins: ['context-compression'],
  plan: ({ call, pipeline }) => ({ fit: createFit(compressionOf(call.request), pipeline) }),
};

/** One family of models accepts no more messages than this (wire.md 9.2). */
const MAX_ANTHROPIC_MESSAGES = 1000;

function createFit(compression: Compression, pipeline: Pipeline): FitRequest {
  return (asked, endpoint) => {
    const { contextLength, maxPromptTokens, modelId } = endpoint;
    if (!isCompressed(contextLength, compression)) return asked;
    const limit = {
      tokens: promptRoom(asked, contextLength, maxPromptTokens),
      messages: modelId.startsWith('anthropic/') ? MAX_ANTHROPIC_MESSAGES : Number.POSITIVE_INFINITY,
    };
    const messages = compressMessages(asked.messages, limit);
    if (messages === asked.messages) return asked;
    pipeline.add({
      type: 'context_compression',
      name: 'context-compression',
      data: {
        engine: 'middle-out',
        input_type: 'messages',
        original_count: asked.messages.length,
        compressed_count: messages.length,
        estimated_tokens: weighMessages(messages),
      },
    });
    return { ...asked, messages };
  };
}

/**
 * Tokens of the context that remain beside the completion and the tools. A completion without a limit is given a
 * quarter.
 */
function promptRoom(
  { max_completion_tokens, max_tokens, tools }: ChatCompletionRequest,
  contextLength: number,
  maxPromptTokens: number | null,
): number {
  const outputTokens = max_completion_tokens ?? max_tokens ?? Math.min(1024, Math.floor(contextLength / 4));
  const described = tools?.length ? Math.ceil(JSON.stringify(tools).length / 4) : 0;
  return Math.max(Math.min(contextLength - outputTokens - described, maxPromptTokens ?? Number.POSITIVE_INFINITY), 1);
}
