import { AGENT_HEADERS, CALL_HEADERS, CALL_RESPONSE_HEADERS } from '../../calls/model-call.ts';
import { type ChatParts, completeChat } from '../../chat/complete-chat.ts';
import { CACHE_REQUEST_HEADERS, CACHE_RESPONSE_HEADERS } from '../../chat/stages/response-cache.ts';
import { responsesDialect } from '../../dialects/responses/responses-dialect.ts';
import { operation } from '../../http/operation.ts';
import { responseEventSchema, responseSchema, responsesRequestSchema } from '../../wire/responses.ts';

/** `POST /responses`: a chat call in the form of OpenAI's newer API. */
export const createResponse = operation<ChatParts>()({
  headers: { ...CALL_HEADERS, ...AGENT_HEADERS, ...CACHE_REQUEST_HEADERS },
  body: { readByRun: responsesRequestSchema },
  response: { mediaTypes: { 'application/json': responseSchema, 'text/event-stream': responseEventSchema } },
  responseHeaders: { ...CALL_RESPONSE_HEADERS, ...CACHE_RESPONSE_HEADERS },
  run: (context) => completeChat(responsesDialect, context),
});
