import { AGENT_HEADERS, CALL_HEADERS, CALL_RESPONSE_HEADERS } from '../calls/call-headers.ts';
import { type ChatParts, completeChat } from '../chat/complete-chat.ts';
import { CACHE_REQUEST_HEADERS, CACHE_RESPONSE_HEADERS } from '../chat/stages/response-cache.ts';
import { chatCompletionsFormat } from '../formats/chat-completions/chat-completions-format.ts';
import { completionsFormat } from '../formats/completions/completions-format.ts';
import { operation } from '../http/operation.ts';
import { chatCompletionEventSchema, chatCompletionResultSchema } from '../wire/chat-chunk.ts';
import {
  documentedCompletionsRequestSchema,
  textCompletionEventSchema,
  textCompletionSchema,
} from '../wire/completions.ts';
import { documentedChatRequestSchema } from '../wire/prompt-reference.ts';

/** The headers that every chat call reads, in every format. */
export const CHAT_HEADERS = { ...CALL_HEADERS, ...AGENT_HEADERS, ...CACHE_REQUEST_HEADERS };
/** The headers that its response has. */
export const CHAT_RESPONSE_HEADERS = { ...CALL_RESPONSE_HEADERS, ...CACHE_RESPONSE_HEADERS };

/** `POST /chat/completions`. Its body is narrowed to the fields that were sent before it is checked. */
export const createChatCompletion = operation<ChatParts>()({
  headers: CHAT_HEADERS,
  body: { readByRun: documentedChatRequestSchema },
  response: {
    mediaTypes: { 'application/json': chatCompletionResultSchema, 'text/event-stream': chatCompletionEventSchema },
  },
  responseHeaders: CHAT_RESPONSE_HEADERS,
  run: (context) => completeChat(chatCompletionsFormat, context),
});

/** `POST /completions`: a chat call in the older form, with a text as its prompt. */
export const createCompletion = operation<ChatParts>()({
  headers: CHAT_HEADERS,
  body: { readByRun: documentedCompletionsRequestSchema },
  response: {
    mediaTypes: { 'application/json': textCompletionSchema, 'text/event-stream': textCompletionEventSchema },
  },
  responseHeaders: CHAT_RESPONSE_HEADERS,
  run: (context) => completeChat(completionsFormat, context),
});
