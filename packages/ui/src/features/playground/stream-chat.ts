import type { ChatCompletionChunk, ChatCompletionRequest, ChatCompletionResult, Usage } from '@model-gateway/core/wire';

import { toApiError } from '../../api/api-error.ts';
import { type Caller, openApi } from '../../api/call-api.ts';
import { readEventStream } from '../../api/read-stream.ts';
import { isForImagesAlone, makeImages } from './make-images.ts';
import { promptingMessages } from './messages.tsx';

/** A piece of a tool call. The id and the name come once; arguments concatenate. */
export interface ToolCallPiece {
  readonly index: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments: string;
}

/** Addition of a chunk to a completion. */
export interface ChatPiece {
  readonly generationId?: string;
  readonly provider?: string;
  readonly text?: string;
  readonly reasoning?: string;
  readonly reasoningDetails?: readonly unknown[];
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly toolCalls?: readonly ToolCallPiece[];
  /** Addresses that contain the bytes. */
  readonly images?: readonly string[];
  /** Base64. */
  readonly audio?: string;
  /** What is said in the audio. */
  readonly transcript?: string;
}

/** Reads a chunk of a stream, or a whole completion. */
export function toPiece({ id, provider, choices, usage }: ChatCompletionChunk | ChatCompletionResult): ChatPiece {
  const [choice] = choices;
  const said: Said | undefined = choice && ('delta' in choice ? choice.delta : choice.message);
  const images = said?.images?.flatMap((image) => toImageUrl(image) ?? []);
  const { data: audio, transcript } = (said?.audio ?? {}) as { data?: unknown; transcript?: unknown };
  return {
    ...(id && { generationId: id }),
    ...(provider && { provider }),
    ...(said?.content && { text: said.content }),
    ...(said?.reasoning && { reasoning: said.reasoning }),
    ...(said?.reasoning_details?.length && { reasoningDetails: said.reasoning_details }),
    ...(said?.tool_calls?.length && { toolCalls: said.tool_calls.map(toToolCallPiece) }),
    ...(images?.length && { images }),
    ...(typeof audio === 'string' && audio !== '' && { audio }),
    ...(typeof transcript === 'string' && transcript !== '' && { transcript }),
    ...(choice?.finish_reason && { finishReason: choice.finish_reason }),
    ...(usage && { usage }),
  };
}

/** The members of a delta and of a message that both have, and that some models alone fill. */
interface Said {
  readonly content?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_details?: readonly unknown[] | undefined;
  readonly tool_calls?:
    | readonly {
        readonly index?: number;
        readonly id?: string;
        readonly function: { readonly name?: string; readonly arguments: string };
      }[]
    | undefined;
  readonly images?: readonly unknown[];
  readonly audio?: unknown;
}

function toToolCallPiece(call: NonNullable<Said['tool_calls']>[number], at: number): ToolCallPiece {
  const { name, arguments: given } = call.function;
  return { index: call.index ?? at, ...(call.id && { id: call.id }), ...(name && { name }), arguments: given };
}

function toImageUrl(image: unknown): string | undefined {
  const { image_url: named } = (image ?? {}) as { image_url?: { url?: unknown } };
  return typeof named?.url === 'string' ? named.url : undefined;
}

/**
 * Sends a chat request and yields what comes, streamed or not. Throws `ApiError`, also for an error that arrives within
 * a stream, and when a stream ends without its end mark.
 */
export async function* streamChat(
  request: ChatCompletionRequest,
  caller: Caller,
  signal: AbortSignal,
): AsyncGenerator<ChatPiece> {
  if (isForImagesAlone(request)) {
    yield* makeImages(request, caller, signal);
    return;
  }
  const response = await openApi('/api/v1/chat/completions', { method: 'POST', body: request, caller, signal });
  const generationId = response.headers.get('x-generation-id');
  if (generationId !== null) yield { generationId };
  if (request.stream !== true || response.body === null) {
    yield toPiece((await response.json()) as ChatCompletionResult);
    return;
  }
  for await (const { data } of readEventStream(response.body)) {
    if (data === '[DONE]') return;
    const chunk = JSON.parse(data) as ChatCompletionChunk;
    yield toPiece(chunk);
    if (chunk.error !== undefined) throw toApiError(chunk.error.code, chunk);
  }
  throw toApiError(502, { error: { message: promptingMessages().brokeOff } });
}
