import { AGENT_HEADERS, CALL_HEADERS, RATE_LIMIT_HEADERS } from '../calls/call-headers.ts';
import { type ChatParts, completeChat } from '../chat/complete-chat.ts';
import { messagesFormat } from '../formats/messages/messages-format.ts';
import { readJsonBody } from '../http/json-body.ts';
import { operation } from '../http/operation.ts';
import { toJsonResponse } from '../http/response.ts';
import {
  countTokensRequestSchema,
  documentedMessagesRequestSchema,
  messageEventSchema,
  messageSchema,
  tokenCountSchema,
} from '../wire/messages.ts';
import { CHAT_HEADERS, CHAT_RESPONSE_HEADERS } from './chat.ts';
import { countPrompt } from './count-prompt.ts';

const ANTHROPIC_HEADERS = {
  'anthropic-version': 'Version of the API; passed on to upstreams of the same format',
  'anthropic-beta': 'Beta features by name; passed on to upstreams of the same format',
  'x-claude-code-session-id': 'Session of an agent, where the body names none',
};

/** `POST /messages`: a chat call in Anthropic's form. */
export const createMessage = operation<ChatParts>()({
  headers: { ...CHAT_HEADERS, ...ANTHROPIC_HEADERS },
  body: { readByRun: documentedMessagesRequestSchema },
  response: { mediaTypes: { 'application/json': messageSchema, 'text/event-stream': messageEventSchema } },
  responseHeaders: CHAT_RESPONSE_HEADERS,
  run: (context) => completeChat(messagesFormat, context),
});

/**
 * `POST /messages/count_tokens`: by the counter of the upstream that would serve the call, else an estimate, marked as one.
 * Guardrails, rate limits and used up budgets hold as for a call; nothing is charged or recorded.
 */
export const countTokens = operation<ChatParts>()({
  body: { readByRun: countTokensRequestSchema },
  headers: { ...CALL_HEADERS, ...AGENT_HEADERS, ...ANTHROPIC_HEADERS },
  response: { mediaTypes: { 'application/json': tokenCountSchema } },
  responseHeaders: RATE_LIMIT_HEADERS,
  async run(context) {
    const sent = await readJsonBody(context.request);
    const { resolveFiles } = context.parts;
    const body = resolveFiles === null ? sent : await resolveFiles(sent, context.principal);
    const { tokens, isEstimated } = await countPrompt(messagesFormat, body, context);
    const count = { input_tokens: tokens, ...(isEstimated && { estimated: true }) };
    return toJsonResponse(200, count, context.responseHeaders);
  },
});
