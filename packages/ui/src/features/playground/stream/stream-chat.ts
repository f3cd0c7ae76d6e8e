import type { ChatCompletionChunk, ChatCompletionRequest, ChatCompletionResult } from '@model-gateway/core/wire';

import { toApiError } from '../../../api/api-error.ts';
import { type Caller, openApi } from '../../../api/call-api.ts';
import { readEventStream } from '../../../api/read-stream.ts';
import { type ChatPiece, toPiece } from './chat-piece.ts';

/**
 * Sends a chat request and yields what comes, streamed or not. Throws `ApiError`, also for an error that arrives within
 * a stream, and when a stream ends without its end mark.
 */
export async function* streamChat(
  request: ChatCompletionRequest,
  caller: Caller,
  signal: AbortSignal,
): AsyncGenerator<ChatPiece> {
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
  throw toApiError(502, { error: { message: 'The answer broke off before its end' } });
}
