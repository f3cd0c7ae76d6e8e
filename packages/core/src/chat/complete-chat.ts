import type { LiveAccount } from '../account/account.ts';
import {
  type CalledPreset,
  type Pipeline,
  receiveCall,
  type ReceivedRequest,
  withRequest,
} from '../calls/model-call.ts';
import type { RegionOf } from '../calls/regions.ts';
import { amendRequest, type HookParts } from '../calls/request-hook.ts';
import {
  type CallContext,
  type Caller,
  type CallSteps,
  guardByFilters,
  type Planned,
  planWithin,
  prepareCall,
  type PreparedCall,
  type PrepareParts,
  reservePrepared,
} from '../dispatch/prepare-call.ts';
import type { UsableParts } from '../dispatch/usable-endpoints.ts';
import type { ResolveFiles } from '../files/resolve-files.ts';
import type { Awaitable } from '../foundation/awaitable.ts';
import type { Unchecked } from '../foundation/parse.ts';
import type { Platform } from '../foundation/platform.ts';
import { nextTurn } from '../foundation/queues.ts';
import type { Conversation } from '../generations/ended-call.ts';
import { type GenerationLogging, observeCall } from '../generations/observer.ts';
import { type GuardedCall, toCompletionGuard } from '../guardrails/guard-call.ts';
import { readJsonBody } from '../http/json-body.ts';
import { firstValue, type GatewayRequest, type RequestContext } from '../http/request.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { WorstCase } from '../limits/ledger.ts';
import { withinBounds } from '../limits/reserve-call.ts';
import { applyRules } from '../routing/rules.ts';
import type { Store } from '../stores/store.ts';
import { type ChatCompletionRequest, parseChatCompletion } from '../wire/chat-request.ts';
import { chatKind, hasPlugin, hasServerTools } from './chat-kind.ts';
import type { ChatRun, ChatRunParts } from './chat-run.ts';
import type { CallFormat } from './format.ts';
import { moderateCall, type Moderator } from './moderate-call.ts';
import { onwardPluginsOf, refuseUnusableFields, refuseUnreadable, toPluginConstraints } from './plugins.ts';
import { findPreset, namesPreset } from './presets/use-preset.ts';
import { relayStream } from './relay-stream.ts';
import { relayWhole } from './relay-whole.ts';
import { composeStages } from './stages/compose-stages.ts';
import { openServerTools } from './stages/server-tools/server-tools-stage.ts';
import type { ToolParts } from './stages/server-tools/tool-set.ts';
import type { ListedStage } from './stages/stage.ts';
import { namesPrompt, withStoredPrompt } from './stored-prompt.ts';

type ChatContext = RequestContext<ChatParts>;

/** What is known of a call before it is made. */
interface GivenCall {
  /** Whoever makes it finds its record by this after a crash. */
  readonly generationId: string;
  /** Whether the rules of the account may choose another model for it. Default: no. */
  readonly isRuled?: boolean | undefined;
  /** The preset that its request was made of. */
  readonly preset?: CalledPreset | undefined;
}

/** A call that the gateway makes for work of its own, such as a rerun. No rule chooses another model for it. */
export interface InnerCall extends GivenCall {
  /**
   * Receives the most that the call may cost, before it is sent, and is waited for. What it throws ends the call, of
   * which there is no record then. Endpoints at which the cost has no bound do not serve the call.
   */
  readonly reserve: (worst: WorstCase) => Awaitable<void>;
}

/**
 * Completes a chat in the format of its route. Tools are opened before the plan, and money is reserved before the
 * relay, for the reasons in docs/decisions/0024. How many files a call runs through: docs/decisions/0026.
 */
export async function completeChat(
  format: CallFormat,
  context: ChatContext,
  inner?: GivenCall & Partial<Pick<InnerCall, 'reserve'>>,
): Promise<GatewayResponse> {
  const { parts, responseHeaders } = context;
  const { platform } = parts;
  const run = await openChat(format, context, inner?.reserve === undefined ? CHAT_STEPS : BOUNDED_STEPS, inner);
  const { call, bound, observer } = run;
  const { begin, isReplay } = await composeStages(parts.stages, run);
  if (bound !== null && !isReplay) {
    const startedAt = platform.monotonicNow();
    const worst = await reservePrepared(run, parts.ledger);
    if (inner?.reserve !== undefined && worst !== null) {
      await reserveInner(inner.generationId, inner.reserve, worst, parts);
    }
    observer.noteStep({ kind: 'budget', name: 'budgets', startedAt, endedAt: platform.monotonicNow() });
  }

  responseHeaders['x-generation-id'] = call.id;
  return call.request.stream === true ? relayStream(run, begin) : relayWhole(run, begin);
}

/** Bodies above this size hold the event loop for a while when they are read, and again when they are written. */
const LONG_BODY_BYTES = 1024 * 1024;

/** Reads a chat and prepares it up to its first endpoint. Throws what refuses it. */
export async function openChat(
  format: CallFormat,
  context: ChatContext,
  steps: typeof CHAT_STEPS,
  given?: GivenCall,
): Promise<ChatRun> {
  const { request: client, parts, responseHeaders } = context;
  const receivedAt = parts.platform.monotonicNow();
  const sent = await readJsonBody(client);
  // Other calls get their turn between the two.
  if (Number(firstValue(client.headers['content-length'])) > LONG_BODY_BYTES) await nextTurn(parts.platform);
  const resolving = parts.resolveFiles === null ? sent : parts.resolveFiles(sent, context.principal);
  const filled = resolving instanceof Promise ? await resolving : resolving;
  const preset = namesPreset(format.name, filled) ? await findPreset(format.name, filled, context) : undefined;
  const own = preset === undefined ? filled : preset.request;
  const prompted = namesPrompt(format.name, own) ? await withStoredPrompt(format.name, own, parts.store) : undefined;
  const asked = prompted === undefined ? own : prompted.body;
  const body = preset === undefined ? asked : preset.join(asked as Unchecked);
  const parsing = format.parse(body, client.headers);
  const { request: read, encoder, received: whole } = parsing instanceof Promise ? await parsing : parsing;
  const request = parts.onRequest === undefined ? read : await amendChat(format, read, context);
  refuseUnusableFields(request, parts);
  const named = whole === undefined && body !== filled ? { body: filled, expanded: body } : { body: whole ?? body };
  const plain = receiveChat(format, request, context, request === read ? named : undefined, given);
  const called = preset?.called ?? given?.preset;
  const received =
    prompted === undefined && called === undefined ? plain : { ...plain, prompt: prompted?.prompt, preset: called };
  const prepared = await prepareCall(received, steps, context, receivedAt);

  const { caller, pipeline } = prepared;
  const guard = caller.policy && toCompletionGuard(caller.policy, pipeline);
  const observer = observeCall(
    prepared,
    toConversation(prepared, whole === undefined && body === sent ? client : null),
    parts,
  );
  return { ...prepared, encoder, guard, observer, client, responseHeaders, parts };
}

/** Lets go of what the budgets hold for the call where it is not made. */
async function reserveInner(
  generationId: string,
  reserve: InnerCall['reserve'],
  worst: WorstCase,
  { ledger }: Pick<ChatParts, 'ledger'>,
): Promise<void> {
  try {
    await reserve(worst);
  } catch (error) {
    ledger.release(generationId);
    throw error;
  }
}

/** Hands a chat request to the hook of the host, which has no say in whether the completion is streamed. */
async function amendChat(
  { name: format }: CallFormat,
  request: ChatCompletionRequest,
  context: ChatContext,
): Promise<ChatCompletionRequest> {
  const amended = await amendRequest({ kind: 'chat', format, request }, parseChatCompletion, context);
  return amended === request ? request : { ...amended, stream: request.stream, stream_options: request.stream_options };
}

/**
 * Makes the call of a chat request, for the model that the rules of the account choose for it. `from`: what the request was
 * read from; undefined where it has been changed since.
 */
export function receiveChat(
  { name: format }: CallFormat,
  request: ChatCompletionRequest,
  context: ChatContext,
  from?: Pick<ReceivedRequest, 'body' | 'expanded'>,
  given?: GivenCall,
): ChatRun['call'] {
  const { headers } = context.request;
  const { routing } = context.parts;
  const received = receiveCall(chatKind, request, context, from && { format, ...from });
  const call = given === undefined ? received : { ...received, id: given.generationId };
  if (given !== undefined && given.isRuled !== true) return call;
  return routing.account.rules === undefined ? call : applyRules(call, { format, headers }, routing);
}

/** A chat call is planned with the tools that the gateway runs, and without the plugins that it leaves to others. */
type GuardedChat = GuardedCall<ChatCompletionRequest> & Pick<ChatRun, 'toolSet' | 'onwardPlugins'>;

const CHAT_STEPS: CallSteps<GuardedChat, Planned, ChatParts> = {
  isRecorded: true,
  isReported: true,
  guard: guardChat,
  plan: planChat,
};

/** The call of a line of a batch that a provider makes in its own time: no limit on rates is of use. */
export const BATCHED_STEPS: typeof CHAT_STEPS = { ...CHAT_STEPS, isUnlimited: true };

/** Its cost has a bound, whether a budget requires that or not. */
const BOUNDED_STEPS: typeof CHAT_STEPS = {
  ...CHAT_STEPS,
  plan({ call, onwardPlugins }, caller, { routing }) {
    const bound = call.kind.boundOf(call.request);
    const constraints = [...toPluginConstraints(onwardPlugins), withinBounds(bound)];
    return { ...planWithin(call, caller, routing, { constraints }), bound };
  },
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
  context: CallContext<ChatParts>,
): Promise<GuardedChat> {
  const { parts } = context;
  const { moderator } = parts;
  const guarding = guardByFilters(received, caller, pipeline, context);
  const { call, refusal: blocked } = guarding instanceof Promise ? await guarding : guarding;
  const onwardPlugins = onwardPluginsOf(call.request, parts);
  const refusal =
    blocked ??
    refuseUnreadable(onwardPlugins, caller.policy) ??
    (moderator !== undefined && hasPlugin(call.request.plugins, 'moderation')
      ? await moderateCall(call, { moderator, pipeline, signal: context.request.signal })
      : null);
  const toolSet = hasServerTools(call.request) ? await openServerTools(call, caller, parts) : null;
  return { call: toolSet === null ? call : withRequest(call, toolSet.request), refusal, toolSet, onwardPlugins };
}

/** Leaves out endpoints whose provider cannot run the plugins that are left to it. */
function planChat({ call, onwardPlugins }: GuardedChat, caller: Caller, { routing }: ChatParts): Planned {
  return planWithin(call, caller, routing, { constraints: toPluginConstraints(onwardPlugins) });
}

/** What the record of a chat call needs of its conversation. `client`: null where more was read than came in. */
function toConversation(
  { call, plan }: PreparedCall<ChatCompletionRequest>,
  client: ChatRun['client'] | null,
): Conversation {
  const { messages, stream } = call.request;
  return {
    messages,
    isStreamed: stream === true,
    router: plan.strategy === 'auto' || plan.strategy === 'free' ? plan.requested : null,
    bodyLength: client === null ? JSON.stringify(messages).length : bodyLengthOf(client, call.request),
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
  /** Null where no files are stored. */
  readonly resolveFiles: ResolveFiles | null;
  readonly regionOf: RegionOf;
  readonly store: Pick<Store, 'prompts' | 'presets'>;
  readonly logging: GenerationLogging;
}
