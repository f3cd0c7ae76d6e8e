import { CALL_HEADERS } from '../../calls/call-headers.ts';
import { TOKENS_A_MESSAGE, weighText } from '../../calls/estimate-usage.ts';
import { receiveCall } from '../../calls/model-call.ts';
import { chatKind } from '../../chat/chat-kind.ts';
import { messagesDialect } from '../../dialects/messages/messages-dialect.ts';
import { findCaller } from '../../dispatch/find-caller.ts';
import { planGuarded } from '../../dispatch/plan-within.ts';
import { operation } from '../../http/operation.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { toJsonResponse } from '../../http/response.ts';
import type { ChatCall } from '../../providers/provider.ts';
import type { ChatCompletionRequest } from '../../wire/chat/chat-completion.ts';
import { nativeOf } from '../../wire/chat/native-request.ts';
import { messageErrorSchema } from '../../wire/messages/message.ts';
import { countTokensRequestSchema, tokenCountSchema } from '../../wire/messages/messages-request.ts';
import type { ChatParts } from '../chat/chat-parts.ts';
import { guardChat } from '../chat/complete-chat.ts';

/**
 * `POST /messages/count_tokens`: by the counter of the upstream that would serve the call, else an estimate that says so.
 * Guardrails see the prompt as they would see that of a call; nothing is charged or recorded.
 */
export const countTokens = operation<ChatParts>()({
  body: { readByRun: countTokensRequestSchema },
  headers: {
    ...CALL_HEADERS,
    'anthropic-version': 'Version of the form; passed on to upstreams of the same form',
    'anthropic-beta': 'Features by name; passed on to upstreams of the same form',
    'x-claude-code-session-id': 'Session of an agent, where the body names none',
  },
  response: { mediaTypes: { 'application/json': tokenCountSchema } },
  errorResponse: messageErrorSchema,
  async run(context) {
    const { request: client, principal, parts } = context;
    const { request } = messagesDialect.parse(await readJsonBody(client), client.headers);
    const caller = await findCaller(principal, parts.callers);
    const guarded = await guardChat(receiveCall(chatKind, request, context), caller, context);
    const { plan } = planGuarded(guarded, caller, client.headers, parts.routing);
    const [endpoint] = plan.endpoints;
    const { call } = guarded;
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
        ? { input_tokens: estimate(call.request), estimated: true }
        : { input_tokens: counted };
    return toJsonResponse(200, count, context.responseHeaders);
  },
});

/** Everything that a model reads, also the tools and earlier calls; never 0. */
function estimate({ messages, tools, response_format: format }: ChatCompletionRequest): number {
  const read = JSON.stringify([messages, tools ?? [], format ?? null], (name, value: unknown) =>
    typeof value === 'string' && value.startsWith('data:') ? '' : value,
  );
  return Math.ceil(weighText(read)) + messages.length * TOKENS_A_MESSAGE;
}
