import { toApiError } from '../../api/api-error.ts';
import { openApi } from '../../api/call-api.ts';
import { readEventStream } from '../../api/read-event-stream.ts';
import { type ChatPiece, toPiece, type WireChunk } from './chat-piece.ts';

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly stream: boolean;
  readonly [parameter: string]: unknown;
}

/**
 * Sends a chat request and yields what comes, streamed or not. Throws `ApiError`, also for an error that arrives within
 * a stream, and when a stream ends without its end mark.
 */
export async function* streamChat(
  request: ChatRequest,
  key: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<ChatPiece> {
  const response = await openApi('/api/v1/chat/completions', { method: 'POST', body: request, key, signal });
  const generationId = response.headers.get('x-generation-id');
  if (generationId !== null) yield { generationId };
  if (!request.stream || response.body === null) {
    yield toPiece((await response.json()) as WireChunk);
    return;
  }
  for await (const { data } of readEventStream(response.body)) {
    if (data === '[DONE]') return;
    const chunk = JSON.parse(data) as WireChunk;
    yield toPiece(chunk);
    if (chunk.error !== undefined) throw toApiError(chunk.error.code, chunk);
  }
  throw toApiError(502, { error: { message: 'The answer broke off before its end' } });
}
