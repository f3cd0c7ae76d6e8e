import { AGENT_HEADERS, CALL_HEADERS, CALL_RESPONSE_HEADERS } from '../../calls/model-call.ts';
import { type ChatParts, completeChat } from '../../chat/complete-chat.ts';
import { CACHE_REQUEST_HEADERS, CACHE_RESPONSE_HEADERS } from '../../chat/stages/response-cache.ts';
import { completionsDialect } from '../../dialects/completions/completions-dialect.ts';
import { operation } from '../../http/operation.ts';
import { completionsRequestSchema, textCompletionEventSchema, textCompletionSchema } from '../../wire/completions.ts';

/** `POST /completions`: a chat call in the older form, with a text as its prompt. */
export const createCompletion = operation<ChatParts>()({
  headers: { ...CALL_HEADERS, ...AGENT_HEADERS, ...CACHE_REQUEST_HEADERS },
  body: { readByRun: completionsRequestSchema },
  response: {
    mediaTypes: { 'application/json': textCompletionSchema, 'text/event-stream': textCompletionEventSchema },
  },
  responseHeaders: { ...CALL_RESPONSE_HEADERS, ...CACHE_RESPONSE_HEADERS },
  run: (context) => completeChat(completionsDialect, context),
});
