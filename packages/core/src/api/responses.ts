import { type ChatParts, completeChat } from '../chat/complete-chat.ts';
import { responsesFormat } from '../formats/responses/responses-format.ts';
import { operation } from '../http/operation.ts';
import { responseEventSchema, responseSchema, responsesRequestSchema } from '../wire/responses.ts';
import { CHAT_HEADERS, CHAT_RESPONSE_HEADERS } from './chat.ts';

/** `POST /responses`: a chat call in the form of OpenAI's newer API. */
export const createResponse = operation<ChatParts>()({
  headers: CHAT_HEADERS,
  body: { readByRun: responsesRequestSchema },
  response: { mediaTypes: { 'application/json': responseSchema, 'text/event-stream': responseEventSchema } },
  responseHeaders: CHAT_RESPONSE_HEADERS,
  run: (context) => completeChat(responsesFormat, context),
});
