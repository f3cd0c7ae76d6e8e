import { reserveCall } from '../../budgets/reserve-call.ts';
import { createPipeline, receiveCall, withRequest } from '../../calls/model-call.ts';
import { chatKind } from '../../chat/chat-kind.ts';
import type { ChatRun } from '../../chat/chat-run.ts';
import type { Dialect } from '../../chat/dialect.ts';
import { moderateCall } from '../../chat/moderate-call.ts';
import { observeChat } from '../../chat/observe-chat.ts';
import { hasServerTools } from '../../chat/plugins.ts';
import { relayStream } from '../../chat/relay-stream.ts';
import { relayWhole } from '../../chat/relay-whole.ts';
import { composeStages } from '../../chat/stages/compose-stages.ts';
import { refuseUnavailable } from '../../chat/stages/refuse-unavailable.ts';
import { openServerTools } from '../../chat/stages/server-tools/server-tools-stage.ts';
import { chatCompletionsDialect } from '../../dialects/chat-completions/chat-completions-dialect.ts';
import { findCaller } from '../../dispatch/find-caller.ts';
import { planWithin } from '../../dispatch/plan-within.ts';
import { guardCall, toCompletionGuard } from '../../guardrails/guard-call.ts';
import { operation } from '../../http/operation.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { GatewayResponse } from '../../http/response.ts';
import { createRoutingReport, refuseUnplanned } from '../../routing/routing-metadata.ts';
import { chatCompletionEventSchema, chatCompletionResultSchema } from '../../wire/chat/chat-chunk.ts';
import { chatCompletionRequestSchema } from '../../wire/chat/chat-completion.ts';
import type { ChatParts } from './chat-parts.ts';

/** `POST /chat/completions`. Its body is narrowed to the fields that were sent before it is checked. */
export const createChatCompletion = operation<ChatParts>()({
  body: { readByRun: chatCompletionRequestSchema },
  response: {
    mediaTypes: { 'application/json': chatCompletionResultSchema, 'text/event-stream': chatCompletionEventSchema },
  },
  run: (context) => completeChat(chatCompletionsDialect, context),
});

/**
 * Completes a chat in the dialect of its route. Tools are opened before the plan, and money is reserved before the
 * relay, for the reasons in docs/decisions/0024. How many files a call runs through: docs/decisions/0026.
 */
async function completeChat(dialect: Dialect, context: RequestContext<ChatParts>): Promise<GatewayResponse> {
  const { request: client, principal, parts, responseHeaders } = context;

  const { request } = dialect.parse(await readJsonBody(client));
  refuseUnavailable(request, parts);
  const received = receiveCall(chatKind, request, context);

  const caller = await findCaller(principal, parts.callers);
  const { policy, budgets } = caller;

  const pipeline = createPipeline();
  const guarded = guardCall(received, { policy, pipeline, logger: parts.logger });
  const { moderator, logging } = parts;
  const refusal = guarded.refusal ?? (await moderateCall(guarded.call, { moderator, pipeline, signal: client.signal }));

  const toolSet = hasServerTools(guarded.call.request) ? await openServerTools(guarded.call, caller, parts) : null;
  const call = toolSet === null ? guarded.call : withRequest(guarded.call, toolSet.request);
  const { plan, bound } = planWithin(call, caller, parts.routing);
  const report = createRoutingReport(client.headers, plan, pipeline);
  // A call that was refused before is planned all the same: its report shows the plan.
  refuseUnplanned(plan, refusal, report);

  await parts.rateLimits?.admit(principal, plan.endpoints[0]?.modelId ?? '', responseHeaders);

  const run: ChatRun = {
    call,
    caller,
    plan,
    report,
    pipeline,
    dialect,
    toolSet,
    guard: toCompletionGuard(policy, pipeline),
    observer: observeChat({ call, plan, pipeline, client, platform: parts.platform, logging }),
    client,
    responseHeaders,
    parts,
  };
  const { begin, isReplay } = await composeStages(parts.stages, run);
  if (bound !== null && !isReplay) await reserveCall(call, { budgets, endpoints: plan.endpoints, bound }, parts.ledger);

  responseHeaders['x-generation-id'] = call.id;
  return request.stream === true ? relayStream(run, begin) : relayWhole(run, begin);
}
