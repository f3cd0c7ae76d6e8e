import type { LiveAccount } from '../account/account.ts';
import type { Narrowing } from '../calls/call-kind.ts';
import { amendRequest, createPipeline, type HookParts, receiveCall, withRequest } from '../calls/model-call.ts';
import { type Caller, type CallerParts, findCaller, planGuarded, refuseWithoutRoom } from '../dispatch/prepare-call.ts';
import type { UsableParts } from '../dispatch/usable-endpoints.ts';
import type { Platform } from '../foundation/platform.ts';
import type { GenerationLogging } from '../generations/observer.ts';
import { guardCall, type GuardedCall, toCompletionGuard } from '../guardrails/guard-call.ts';
import { readJsonBody } from '../http/read-json-body.ts';
import type { RequestContext } from '../http/request.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { reserveCall } from '../limits/reserve-call.ts';
import type { RoutingParts } from '../routing/plan-call.ts';
import type { RegionOf } from '../routing/regions.ts';
import { applyRules } from '../routing/rules.ts';
import { type ChatCompletionRequest, parseChatCompletion } from '../wire/chat-request.ts';
import { chatKind } from './chat-kind.ts';
import type { ChatRun, ChatRunParts } from './chat-run.ts';
import type { Dialect } from './dialect.ts';
import { moderateCall, type Moderator } from './moderate-call.ts';
import { observeChat } from './observe-chat.ts';
import { hasServerTools } from './plugins.ts';
import { onwardPluginsOf, refuseUnavailable, refuseUnreadable, toPluginNarrowings } from './refuse-unavailable.ts';
import { relayStream } from './relay-stream.ts';
import { relayWhole } from './relay-whole.ts';
import { composeStages } from './stages/compose-stages.ts';
import { openServerTools } from './stages/server-tools/server-tools-stage.ts';
import type { ToolParts } from './stages/server-tools/tool-set.ts';
import type { ListedStage } from './stages/stage.ts';

type ChatContext = RequestContext<ChatParts>;

/**
 * Completes a chat in the dialect of its route. Tools are opened before the plan, and money is reserved before the
 * relay, for the reasons in docs/decisions/0024. How many files a call runs through: docs/decisions/0026.
 */
export async function completeChat(dialect: Dialect, context: ChatContext): Promise<GatewayResponse> {
  const { request: client, principal, parts, responseHeaders } = context;
  const { platform } = parts;
  const receivedAt = platform.monotonicNow();
  const { received, encoder } = await receiveChat(dialect, context);
  const readAt = platform.monotonicNow();
  refuseWithoutRoom(parts.callers);
  const caller = await findCaller(principal, parts.callers);
  const guarded = await guardChat(received, caller, context);
  const guardedAt = platform.monotonicNow();
  const { call, pipeline, toolSet, onwardPlugins } = guarded;
  const { plan, bound, report } = planGuarded(guarded, caller, client.headers, parts.routing);
  const plannedAt = platform.monotonicNow();
  await parts.rateLimits?.admit(principal, plan.endpoints[0]?.modelId ?? '', responseHeaders);

  const guard = toCompletionGuard(caller.policy, pipeline);
  const marks = { receivedAt, readAt, guardedAt, plannedAt };
  const observer = observeChat({ call, plan, pipeline, client, marks }, parts);
  const planned = { call, caller, plan, report, pipeline, encoder, toolSet, onwardPlugins };
  const run: ChatRun = { ...planned, guard, observer, client, responseHeaders, parts };
  const { begin, isReplay } = await composeStages(parts.stages, run);
  if (bound !== null && !isReplay) {
    const startedAt = platform.monotonicNow();
    await reserveCall(call, { budgets: caller.budgets, endpoints: plan.endpoints, bound }, parts.ledger);
    observer.noteStep({ kind: 'budget', name: 'budgets', startedAt, endedAt: platform.monotonicNow() });
  }

  responseHeaders['x-generation-id'] = call.id;
  return call.request.stream === true ? relayStream(run, begin) : relayWhole(run, begin);
}

interface ReceivedChat extends Pick<ChatRun, 'encoder'> {
  readonly received: ChatRun['call'];
}

/** Reads a chat call, for the model that the rules of the account choose for it. */
async function receiveChat(dialect: Dialect, context: ChatContext): Promise<ReceivedChat> {
  const { headers } = context.request;
  const { request: read, encoder } = dialect.parse(await readJsonBody(context.request), headers);
  const request = context.parts.onRequest === undefined ? read : await amendChat(dialect, read, context);
  refuseUnavailable(request, context.parts);
  const asked = receiveCall(chatKind, request, context);
  return { received: applyRules(asked, { door: dialect.door, headers }, context.parts.routing), encoder };
}

/** Hands a chat request to the hook of the host, which has no say in whether the completion is streamed. */
async function amendChat(
  { door }: Dialect,
  request: ChatCompletionRequest,
  context: ChatContext,
): Promise<ChatCompletionRequest> {
  const amended = await amendRequest({ kind: 'chat', door, request }, parseChatCompletion, context);
  return amended === request ? request : { ...amended, stream: request.stream, stream_options: request.stream_options };
}

interface GuardedChat
  extends GuardedCall<ChatCompletionRequest>, Pick<ChatRun, 'pipeline' | 'toolSet' | 'onwardPlugins'> {
  readonly narrowings: readonly Narrowing[];
}

/**
 * Runs filters and moderation over a call, and sets aside the plugins that are left to a gateway upstream. Then opens its
 * server tools, which models receive as functions.
 */
export async function guardChat(received: ChatRun['call'], caller: Caller, context: ChatContext): Promise<GuardedChat> {
  const { request: client, parts } = context;
  const { moderator, logger, platform } = parts;
  const pipeline = createPipeline();
  const guarding = guardCall(received, { policy: caller.policy, pipeline, logger, platform });
  const { call, refusal: blocked } = guarding instanceof Promise ? await guarding : guarding;
  const onwardPlugins = onwardPluginsOf(call.request, parts);
  const refusal =
    blocked ??
    refuseUnreadable(onwardPlugins, caller.policy) ??
    (await moderateCall(call, { moderator, pipeline, signal: client.signal }));
  const toolSet = hasServerTools(call.request) ? await openServerTools(call, caller, parts) : null;
  const opened = toolSet === null ? call : withRequest(call, toolSet.request);
  return { call: opened, refusal, pipeline, toolSet, onwardPlugins, narrowings: toPluginNarrowings(onwardPlugins) };
}

export interface ChatParts extends ChatRunParts, HookParts, ToolParts, UsableParts {
  readonly account: LiveAccount;
  readonly platform: Platform;
  readonly callers: CallerParts;
  readonly routing: RoutingParts;
  readonly stages: readonly ListedStage[];
  readonly moderator: Moderator | undefined;
  readonly regionOf: RegionOf;
  /** Null without any. */
  readonly rateLimits: RateLimits | null;
  readonly logging: GenerationLogging;
}

/** `POST /chat/completions` */
