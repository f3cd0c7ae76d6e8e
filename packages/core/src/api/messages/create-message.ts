import { AGENT_HEADERS, CALL_HEADERS, CALL_RESPONSE_HEADERS } from '../../calls/model-call.ts';
import { type ChatParts, completeChat } from '../../chat/complete-chat.ts';
import { CACHE_REQUEST_HEADERS, CACHE_RESPONSE_HEADERS } from '../../chat/stages/response-cache.ts';
import { messagesDialect } from '../../dialects/messages/messages-dialect.ts';
import { operation } from '../../http/operation.ts';
import { messageEventSchema, messageSchema, messagesRequestSchema } from '../../wire/messages.ts';

/** `POST /messages`: a chat call in Anthropic's form. */
export const createMessage = operation<ChatParts>()({
  headers: {
    ...CALL_HEADERS,
    ...AGENT_HEADERS,
    ...CACHE_REQUEST_HEADERS,
    'anthropic-version': 'Version of the form; passed on to upstreams of the same form',
    'anthropic-beta': 'Features by name; passed on to upstreams of the same form',
    'x-claude-code-session-id': 'Session of an agent, where the body names none',
  },
  body: { readByRun: messagesRequestSchema },
  response: { mediaTypes: { 'application/json': messageSchema, 'text/event-stream': messageEventSchema } },
  responseHeaders: { ...CALL_RESPONSE_HEADERS, ...CACHE_RESPONSE_HEADERS },
  run: (context) => completeChat(messagesDialect, context),
});
