import type { CallBound } from '../calls/call-kind.ts';
import { AGENT_HEADERS, CALL_HEADERS, RATE_LIMIT_HEADERS } from '../calls/model-call.ts';
import { estimatePrompt } from '../calls/texts.ts';
import { type ChatParts, completeChat, COUNT_STEPS, receiveChat } from '../chat/complete-chat.ts';
import { prepareCall, type PreparedCall, reservePrepared } from '../dispatch/prepare-call.ts';
import { messagesFormat } from '../formats/messages/messages-format.ts';
import { operation } from '../http/operation.ts';
import { readJsonBody } from '../http/request.ts';
import { toJsonResponse } from '../http/response.ts';
import type { Ledger } from '../limits/ledger.ts';
import type { ChatCall } from '../providers/provider.ts';
import {
  countTokensRequestSchema,
  documentedMessagesRequestSchema,
  messageEventSchema,
  messageSchema,
  tokenCountSchema,
} from '../wire/messages.ts';
import { nativeOf } from '../wire/native-request.ts';
import { CHAT_HEADERS, CHAT_RESPONSE_HEADERS } from './chat.ts';

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

const FREE: CallBound = { worstCaseNanoUsd: () => 0 };

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
    const { request: client, parts } = context;
    const { request } = messagesFormat.parse(await readJsonBody(client), client.headers);
    const received = receiveChat(messagesFormat, request, context);
    const prepared = await prepareCall(received, COUNT_STEPS, context);
    const { call, endpoints } = prepared;
    const [endpoint] = endpoints;
    await refuseWithoutBudget(prepared, parts.ledger);
    const counted = await endpoint?.provider
      .countTokens?.({
        generationId: call.id,
        request: call.request,
        providerModel: endpoint.providerModel,
        stream: false,
        supportedParameters: endpoint.supportedParameters,
        maxOutputTokens: endpoint.maxCompletionTokens,
        native: nativeOf(call.request),
        signal: client.signal,
        timeouts: parts.timeouts,
      } satisfies ChatCall)
      // A counter is a convenience: a client that gets none takes its guess for the truth.
      .catch(() => undefined);
    const count =
      counted === undefined || counted < 1
        ? { input_tokens: estimatePrompt(call.request), estimated: true }
        : { input_tokens: counted };
    return toJsonResponse(200, count, context.responseHeaders);
  },
});

/** Throws what refuses every call of a key whose budgets are used up, or zero. Holds nothing afterwards. */
async function refuseWithoutBudget(prepared: PreparedCall, ledger: Pick<Ledger, 'reserve' | 'release'>): Promise<void> {
  if (prepared.caller.budgets.length === 0) return;
  await reservePrepared({ ...prepared, bound: FREE }, ledger);
  ledger.release(prepared.call.id);
}
