import type { Awaitable } from '../../foundation/awaitable.ts';
import type { Narrowing } from '../../calls/narrowing.ts';
import { boundCall } from '../../budgets/bound-call.ts';
import { findBudgets, toCaller } from '../../budgets/find-budgets.ts';
import { reserveCall, withinBounds } from '../../budgets/reserve-call.ts';
import { answerStream } from '../../chat/relay-stream.ts';
import { answerWhole } from '../../chat/relay-whole.ts';
import { chooseAnswer } from '../../chat/choose-answer.ts';
import { createFit } from '../../chat/stages/prompt-compression/shorten-prompt.ts';
import { moderateRequest } from '../../chat/moderate-request.ts';
import type { PipelineStage } from '../../wire/chat/pipeline-stage.ts';
import { hasPlugin } from '../../chat/plugins.ts';
import { openToolSet, prepareAnswer, wantsServerTools } from '../../chat/prepare-answer.ts';
import { refuseUnavailable } from '../../chat/refuse-unavailable.ts';
import type { ChatRelay } from '../../chat/relay.ts';
import type { ChatContext } from '../../chat/chat-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { observeGeneration } from '../../generations/observe/observe-generation.ts';
import { toAnswerGuard } from '../../guardrails/guard-answer.ts';
import { guardRequest } from '../../guardrails/guard-request.ts';
import { mapTexts } from '../../chat/map-texts.ts';
import { createGenerationId } from '../../foundation/random-id.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { firstValue } from '../../http/request.ts';
import { operation } from '../../http/operation.ts';
import type { GatewayResponse } from '../../http/response.ts';
import { noEndpointLeft } from '../../routing/no-endpoint-left.ts';
import { planRoute } from '../../routing/plan-route.ts';
import { createRoutingReport, withReport } from '../../routing/routing-metadata.ts';
import { chatCompletionResultSchema } from '../../wire/chat/chat-chunk.ts';
import { type ChatCompletionRequest, chatCompletionRequestSchema } from '../../wire/chat/chat-completion.ts';
import { parseChatCompletion } from '../../wire/chat/parse-chat-completion.ts';
import type { ChatParts } from './chat-parts.ts';

const NO_NARROWINGS: readonly Narrowing[] = [];
const MAX_SESSION_ID_LENGTH = 256;

/** `POST /chat/completions`. Its body is narrowed to the fields that were sent before it is checked. */
export const createChatCompletion = operation<ChatParts>()({
  body: { readByRun: chatCompletionRequestSchema },
  response: { mediaTypes: { 'application/json': chatCompletionResultSchema, 'text/event-stream': null } },
  run: completeChat,
});

async function completeChat(context: ChatContext): Promise<GatewayResponse> {
  const { parts: runtime, principal } = context;
  const received = parseChatCompletion(await readJsonBody(context.request));
  refuseUnavailable(received, runtime);
  const found = runtime.policyOf(principal);
  const policy = found instanceof Promise ? await found : found;
  const guarded = guardRequest(received, { policy, map: mapTexts, logger: runtime.logger });
  const pipeline: PipelineStage[] = guarded.stages;
  const judged = guarded.refusal ?? askModerator(guarded.request, context, pipeline);
  const refusal = judged instanceof Promise ? await judged : judged;
  const toolSet = wantsServerTools(guarded.request) ? await openToolSet(guarded.request, context) : null;
  const request = toolSet === null ? guarded.request : toolSet.request;
  const sessionId = readSessionId(request, context);
  const region = runtime.regionOf(context.request);
  const limits = findBudgets(principal, policy, runtime);
  const budgets = limits instanceof Promise ? await limits : limits;
  const bound = budgets.length === 0 ? null : boundCall(request);
  const narrowings = policy?.narrowings ?? NO_NARROWINGS;
  const route = planRoute(
    {
      request,
      principalId: principal.id,
      sessionId,
      region,
      narrowings: bound === null ? narrowings : [...narrowings, withinBounds(bound)],
    },
    runtime,
  );
  const report = createRoutingReport(context.request.headers, route, pipeline);
  if (refusal !== null) throw withReport(refusal, report, { attempts: [], hasFailed: true });
  if (route.endpoints.length === 0) {
    throw withReport(noEndpointLeft(route), report, { attempts: [], hasFailed: true });
  }
  if (runtime.rateLimits !== null) {
    await runtime.rateLimits.admit(principal, route.endpoints[0]?.modelId ?? '', context.responseHeaders);
  }
  const id = createGenerationId(runtime.platform);
  const prepared = prepareAnswer({ id, context, request, route, policy, pipeline, budgets, toolSet });
  const chosen = chooseAnswer({ context, request: guarded.request, route, region, policy, pipeline, prepared });
  const { begin, isReplay } = chosen instanceof Promise ? await chosen : chosen;

  if (bound !== null && !isReplay) {
    await reserveCall({ id, caller: toCaller(principal), budgets, endpoints: route.endpoints, bound }, runtime.ledger);
  }
  context.responseHeaders['x-generation-id'] = id;
  const relay: ChatRelay = {
    runtime,
    request,
    route,
    report: isReplay ? null : report,
    begin,
    observer: observeGeneration({
      id,
      context,
      request,
      sessionId,
      region,
      router: route.strategy === 'auto' || route.strategy === 'free' ? route.requested : null,
      bodyLength: bodyLengthOf(context, request),
      pipeline,
    }),
    guard: toAnswerGuard(policy, request.messages, guarded.stages),
    fit: createFit(request, route.endpoints, pipeline),
    client: context.request,
    created: Math.floor(runtime.platform.now() / 1000),
    hideReasoning: request.reasoning?.exclude === true || request.include_reasoning === false,
    headers: context.responseHeaders,
  };
  return request.stream === true ? await answerStream(relay) : await answerWhole(relay);
}

/** The refusal of a request that asks to be moderated and is flagged; null at once for any other. */
function askModerator(
  request: ChatCompletionRequest,
  { parts: runtime, request: { signal } }: ChatContext,
  pipeline: PipelineStage[],
): Awaitable<GatewayError | null> {
  const { moderator } = runtime;
  if (moderator === undefined || !hasPlugin(request.plugins, 'moderation')) return null;
  return moderateRequest(request, { moderator, signal, pipeline });
}

/** The body's session wins over the header's; both have the same limit. */
function readSessionId(request: ChatCompletionRequest, context: ChatContext): string | null {
  const sessionId = request.session_id ?? firstValue(context.request.headers['x-session-id']) ?? null;
  if (sessionId !== null && sessionId.length > MAX_SESSION_ID_LENGTH) {
    throw new GatewayError('invalid_request', `x-session-id: must have at most ${MAX_SESSION_ID_LENGTH} characters`);
  }
  return sessionId;
}

/** As the client says it, which is exact; only a body sent in chunks or compressed has to be measured. */
function bodyLengthOf({ request: { headers } }: ChatContext, { messages }: ChatCompletionRequest): number {
  const isExact = headers['content-length'] !== undefined && headers['content-encoding'] === undefined;
  return isExact ? Number(firstValue(headers['content-length'])) : JSON.stringify(messages).length;
}
