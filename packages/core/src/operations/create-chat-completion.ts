import { checkKeyLimit, hasKeyLimit } from '../budgets/check-key-limit.ts';
import { answerStream } from '../chat/answer-stream.ts';
import { answerWhole } from '../chat/answer-whole.ts';
import { refuseUnavailable } from '../chat/refuse-unavailable.ts';
import type { ChatRelay } from '../chat/relay.ts';
import type { RequestContext } from '../context.ts';
import { GatewayError } from '../errors.ts';
import { observeGeneration } from '../generations/observe-generation.ts';
import { createGenerationId } from '../random-id.ts';
import { readJsonBody } from '../read-json-body.ts';
import { headerOf } from '../request.ts';
import type { GatewayResponse } from '../response.ts';
import { planRoute } from '../routing/plan-route.ts';
import type { ChatCompletionRequest } from '../schemas/chat-completion.ts';
import { parseChatCompletion } from '../schemas/parse-chat-completion.ts';

const MAX_SESSION_ID_LENGTH = 256;

/** `POST /chat/completions` */
export async function createChatCompletion(context: RequestContext): Promise<GatewayResponse> {
  const { runtime, principal } = context;
  const request = parseChatCompletion(await readJsonBody(context.request));
  refuseUnavailable(request);
  const sessionId = readSessionId(request, context);
  const route = planRoute(request, runtime);
  if (hasKeyLimit(principal)) await checkKeyLimit(principal, runtime.store);

  const id = createGenerationId(runtime.platform);
  context.responseHeaders['x-generation-id'] = id;
  const relay: ChatRelay = {
    runtime,
    request,
    route,
    observer: observeGeneration({ id, context, request, sessionId, bodyLength: bodyLengthOf(context, request) }),
    clientSignal: context.request.signal,
    created: Math.floor(runtime.platform.now() / 1000),
    hideReasoning: request.reasoning?.exclude === true || request.include_reasoning === false,
    headers: context.responseHeaders,
  };
  return request.stream === true ? answerStream(relay) : answerWhole(relay);
}

/** The body's session wins over the header's; both have the same limit. */
function readSessionId(request: ChatCompletionRequest, context: RequestContext): string | null {
  const sessionId = request.session_id ?? headerOf(context.request.headers, 'x-session-id') ?? null;
  if (sessionId !== null && sessionId.length > MAX_SESSION_ID_LENGTH) {
    throw new GatewayError('invalid_request', `x-session-id: must have at most ${MAX_SESSION_ID_LENGTH} characters`);
  }
  return sessionId;
}

/** As the client says it, which is exact; only a body sent in chunks or compressed has to be measured. */
function bodyLengthOf({ request: { headers } }: RequestContext, { messages }: ChatCompletionRequest): number {
  const isExact = headers['content-length'] !== undefined && headers['content-encoding'] === undefined;
  return isExact ? Number(headerOf(headers, 'content-length')) : JSON.stringify(messages).length;
}
