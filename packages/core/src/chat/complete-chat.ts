import type { LiveAccount } from '../account/account.ts';
import {
  amendRequest,
  type HookParts,
  type Pipeline,
  receiveCall,
  type RegionOf,
  withRequest,
} from '../calls/model-call.ts';
import {
  type CallContext,
  type Caller,
  type CallSteps,
  type Planned,
  planWithin,
  prepareCall,
  type PreparedCall,
  type PrepareParts,
  reservePrepared,
} from '../dispatch/prepare-call.ts';
import type { UsableParts } from '../dispatch/usable-endpoints.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Conversation } from '../generations/ended-call.ts';
import { type GenerationLogging, observeCall } from '../generations/observer.ts';
import { guardCall, type GuardedCall, toCompletionGuard } from '../guardrails/guard-call.ts';
import { firstValue, type GatewayRequest, readJsonBody, type RequestContext } from '../http/request.ts';
import type { GatewayResponse } from '../http/response.ts';
import { applyRules } from '../routing/rules.ts';
import { type ChatCompletionRequest, parseChatCompletion } from '../wire/chat-request.ts';
import { chatKind, hasServerTools } from './chat-kind.ts';
import type { ChatRun, ChatRunParts } from './chat-run.ts';
import type { Format } from './format.ts';
import { moderateCall, type Moderator } from './moderate-call.ts';
import { onwardPluginsOf, refuseUnavailable, refuseUnreadable, toPluginConstraints } from './refuse-unavailable.ts';
import { relayStream } from './relay-stream.ts';
import { relayWhole } from './relay-whole.ts';
import { composeStages } from './stages/compose-stages.ts';
import { openServerTools } from './stages/server-tools/server-tools-stage.ts';
import type { ToolParts } from './stages/server-tools/tool-set.ts';
import type { ListedStage } from './stages/stage.ts';

type ChatContext = RequestContext<ChatParts>;

/**
 * Completes a chat in the format of its route. Tools are opened before the plan, and money is reserved before the
 * relay, for the reasons in docs/decisions/0024. How many files a call runs through: docs/decisions/0026.
 */
export async function completeChat(format: Format, context: ChatContext): Promise<GatewayResponse> {
  const { request: client, parts, responseHeaders } = context;
  const { platform } = parts;
  const receivedAt = platform.monotonicNow();
  const { request: read, encoder } = format.parse(await readJsonBody(client), client.headers);
  const request = parts.onRequest === undefined ? read : await amendChat(format, read, context);
  refuseUnavailable(request, parts);
  const received = receiveChat(format, request, context);
  const prepared = await prepareCall(received, CHAT_STEPS, context, receivedAt);

  const { call, caller, pipeline, bound } = prepared;
  const guard = toCompletionGuard(caller.policy, pipeline);
  const observer = observeCall(prepared, toConversation(prepared, client), parts);
  const run: ChatRun = { ...prepared, encoder, guard, observer, client, responseHeaders, parts };
  const { begin, isReplay } = await composeStages(parts.stages, run);
  if (bound !== null && !isReplay) {
    const startedAt = platform.monotonicNow();
    await reservePrepared(prepared, parts.ledger);
    observer.noteStep({ kind: 'budget', name: 'budgets', startedAt, endedAt: platform.monotonicNow() });
  }

  responseHeaders['x-generation-id'] = call.id;
  return call.request.stream === true ? relayStream(run, begin) : relayWhole(run, begin);
}

/** Hands a chat request to the hook of the host, which has no say in whether the completion is streamed. */
async function amendChat(
  { name: format }: Format,
  request: ChatCompletionRequest,
  context: ChatContext,
): Promise<ChatCompletionRequest> {
  const amended = await amendRequest({ kind: 'chat', format, request }, parseChatCompletion, context);
  return amended === request ? request : { ...amended, stream: request.stream, stream_options: request.stream_options };
}

/** Makes the call of a chat request, for the model that the rules of the account choose for it. */
export function receiveChat(
  { name: format }: Format,
  request: ChatCompletionRequest,
  context: ChatContext,
): ChatRun['call'] {
  const { headers } = context.request;
  return applyRules(receiveCall(chatKind, request, context), { format, headers }, context.parts.routing);
}

/** A chat call is planned with the tools that the gateway runs, and without the plugins that it leaves to others. */
type GuardedChat = GuardedCall<ChatCompletionRequest> & Pick<ChatRun, 'toolSet' | 'onwardPlugins'>;

const CHAT_STEPS: CallSteps<GuardedChat, Planned, ChatParts> = {
  isRecorded: true,
  isReported: true,
  guard: guardChat,
  plan: planChat,
};

/** The tokens of a chat are counted before it is sent: nothing is recorded, and no bound of the cost excludes an endpoint. */
export const COUNT_STEPS: typeof CHAT_STEPS = {
  ...CHAT_STEPS,
  isRecorded: false,
  plan: (guarded, caller, parts) => planChat(guarded, { ...caller, budgets: [] }, parts),
};

/**
 * Runs filters and moderation over a call, and sets aside the plugins that are left to a gateway upstream. Then opens its
 * server tools, which models receive as functions.
 */
async function guardChat(
  received: ChatRun['call'],
  caller: Caller,
  pipeline: Pipeline,
  { request: client, parts }: CallContext<ChatParts>,
): Promise<GuardedChat> {
  const { moderator, logger, platform } = parts;
  const guarding = guardCall(received, { policy: caller.policy, pipeline, logger, platform });
  const { call, refusal: blocked } = guarding instanceof Promise ? await guarding : guarding;
  const onwardPlugins = onwardPluginsOf(call.request, parts);
  const refusal =
    blocked ??
    refuseUnreadable(onwardPlugins, caller.policy) ??
    (await moderateCall(call, { moderator, pipeline, signal: client.signal }));
  const toolSet = hasServerTools(call.request) ? await openServerTools(call, caller, parts) : null;
  return { call: toolSet === null ? call : withRequest(call, toolSet.request), refusal, toolSet, onwardPlugins };
}

/** Leaves out endpoints whose provider cannot run the plugins that are left to it. */
function planChat({ call, onwardPlugins }: GuardedChat, caller: Caller, { routing }: ChatParts): Planned {
  return planWithin(call, caller, routing, { constraints: toPluginConstraints(onwardPlugins) });
}

/** What the record of a chat call needs of its conversation. */
function toConversation({ call, plan }: PreparedCall<ChatCompletionRequest>, client: ChatRun['client']): Conversation {
  const { messages, stream } = call.request;
  return {
    messages,
    isStreamed: stream === true,
    router: plan.strategy === 'auto' || plan.strategy === 'free' ? plan.requested : null,
    bodyLength: bodyLengthOf(client, call.request),
  };
}

/** The client's content-length, which is exact; only a chunked or compressed body has to be measured. */
function bodyLengthOf({ headers }: Pick<GatewayRequest, 'headers'>, { messages }: ChatCompletionRequest): number {
  const isExact = headers['content-length'] !== undefined && headers['content-encoding'] === undefined;
  return isExact ? Number(firstValue(headers['content-length'])) : JSON.stringify(messages).length;
}

export interface ChatParts extends ChatRunParts, PrepareParts, HookParts, ToolParts, UsableParts {
  readonly account: LiveAccount;
  readonly platform: Platform;
  readonly stages: readonly ListedStage[];
  readonly moderator: Moderator | undefined;
  readonly regionOf: RegionOf;
  readonly logging: GenerationLogging;
}
