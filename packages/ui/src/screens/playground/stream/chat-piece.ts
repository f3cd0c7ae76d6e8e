import type { ChatCompletionChunk, ChatCompletionResult, Usage } from '@model-gateway/core/wire';

/** Addition of a chunk to a completion. */
export interface ChatPiece {
  readonly generationId?: string;
  readonly provider?: string;
  readonly text?: string;
  readonly reasoning?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly toolCalls?: number;
}

/** Reads a chunk of a stream, or a whole completion. */
export function toPiece({ id, provider, choices, usage }: ChatCompletionChunk | ChatCompletionResult): ChatPiece {
  const [choice] = choices;
  const said = choice && ('delta' in choice ? choice.delta : choice.message);
  return {
    ...(id && { generationId: id }),
    ...(provider && { provider }),
    ...(said?.content && { text: said.content }),
    ...(said?.reasoning && { reasoning: said.reasoning }),
    ...(said?.tool_calls && { toolCalls: said.tool_calls.length }),
    ...(choice?.finish_reason && { finishReason: choice.finish_reason }),
    ...(usage && { usage }),
  };
}
