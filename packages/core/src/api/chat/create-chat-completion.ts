import { AGENT_HEADERS, CALL_HEADERS, CALL_RESPONSE_HEADERS } from '../../calls/model-call.ts';
import { type ChatParts, completeChat } from '../../chat/complete-chat.ts';
import { CACHE_REQUEST_HEADERS, CACHE_RESPONSE_HEADERS } from '../../chat/stages/response-cache.ts';
import { chatCompletionsDialect } from '../../dialects/chat-completions/chat-completions-dialect.ts';
import { operation } from '../../http/operation.ts';
import { chatCompletionEventSchema, chatCompletionResultSchema } from '../../wire/chat-chunk.ts';
import { chatCompletionRequestSchema } from '../../wire/chat-request.ts';

/** `POST /chat/completions`. Its body is narrowed to the fields that were sent before it is checked. */
export const createChatCompletion = operation<ChatParts>()({
  headers: { ...CALL_HEADERS, ...AGENT_HEADERS, ...CACHE_REQUEST_HEADERS },
  body: { readByRun: chatCompletionRequestSchema },
  response: {
    mediaTypes: { 'application/json': chatCompletionResultSchema, 'text/event-stream': chatCompletionEventSchema },
  },
  responseHeaders: { ...CALL_RESPONSE_HEADERS, ...CACHE_RESPONSE_HEADERS },
  run: (context) => completeChat(chatCompletionsDialect, context),
});
