import type { Timeouts } from '../calls/attempt.ts';
import { toTraceparent } from '../calls/model-call.ts';
import { type Catalog, type Endpoint, tierOf } from '../catalog/catalog.ts';
import { runAttempts } from '../dispatch/run-attempts.ts';
import { raceAbort } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { CompletionAccumulator } from '../generations/completion-accumulator.ts';
import { guardCompletion } from '../guardrails/guard-completion.ts';
import type { ChatCall, OnwardCall, WholeProvider } from '../providers/provider.ts';
import { preferencesUpstream, toOnwardPreferences } from '../routing/preferences.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import { nativeOf } from '../wire/native-request.ts';
import type { ChatRun } from './chat-run.ts';
import { type Beginning, type CommittedCompletion, failureWithoutOutput, hasOutput } from './committed-completion.ts';
import { type AskedRest, continueBroken } from './continuation.ts';
import { filterCompletion } from './filtered-completion.ts';
import { createHeldCompletion, holdToEnd, isHeld } from './held-stream.ts';
import type { ChatTurn, FitRequest } from './stages/stage.ts';

/**
 * The one of those that read or change a completion on its way to the caller by which it is asked for. `seam`: a stream
 * that breaks off goes on at another endpoint, and filters may read across the seam. `guard`: filters read it. `stage`:
 * a stage reads it, or replaces it. `none`: it goes on as it comes, in upstream's own form where the caller speaks it.
 */
export type ReadBy = 'none' | 'stage' | 'guard' | 'seam';

/** How the endpoints of a call are asked. */
export interface Asking {
  /** Makes the request fit an endpoint; null where no stage does. */
  readonly fit: FitRequest | null;
  readonly readBy: ReadBy;
  /** Where another endpoint is left and the account is less patient then; default: the limits of every call. */
  readonly timeouts?: Timeouts | undefined;
}

/** Finds the reader of a run; `isStaged`: one of its stages wraps the beginning of the completion. */
export function findReader(run: ChatRun, isStaged: boolean): ReadBy {
  if (continuesBroken(run)) return 'seam';
  if (run.guard !== null || run.parts.filterFunctions.output !== null) return 'guard';
  return isStaged ? 'stage' : 'none';
}

/** Whether the stream of a call goes on at another endpoint should it break off (docs/decisions/0039). */
function continuesBroken({ call, plan, toolSet, parts }: ChatRun): boolean {
  const { request } = call;
  if (request.stream !== true || toolSet !== null || plan.endpoints.length < 2 || isHeld(request, parts)) return false;
  const wish = request.provider?.continue_broken_streams ?? parts.account.routing?.continueBrokenStreams;
  return wish === true && isPlainText(request);
}

/** Whether a request is for text in no form that a continuation could miss. */
function isPlainText({ response_format: format, modalities, tool_choice: choice }: ChatCompletionRequest): boolean {
  const hasForm = format != null && format.type !== 'text';
  const isForced = choice != null && choice !== 'none' && choice !== 'auto';
  return !hasForm && !isForced && modalities?.some((kind) => kind !== 'text') !== true;
}

/** Calls the endpoints of a turn, one after the other, until one has begun a completion. */
export async function beginCompletion(run: ChatRun, turn: ChatTurn, asking: Asking): Promise<CommittedCompletion> {
  const { endpoints, signal } = turn;
  const { observer, parts } = run;
  const { endpoint, startedAt, first } = await runAttempts(
    { endpoints, observer, wish: { call: run.call, account: parts.account }, signal, parts: parts.attempts },
    (candidate, hasFallback) =>
      ask(candidate, run, turn, hasFallback ? { ...asking, timeouts: limitsBeforeFallback(run, asking) } : asking),
  );
  // What continues a completion knows which endpoint ended how.
  return { endpoint, startedAt, first: first.first, rest: first.rest, isAccountedFor: asking.readBy === 'seam' };
}

/** The call of an endpoint of a run in which no stage has a part, as its provider receives it. */
export function toPlainCall(endpoint: Endpoint, run: ChatRun, signal: AbortSignal): ChatCall {
  const { request } = run.call;
  const turn = { request, endpoints: [endpoint], signal };
  const fitting = toTierRequest(request, endpoint, run.parts.catalog);
  return toChatCall(endpoint, fitting, run, turn, { fit: null, readBy: findReader(run, false) });
}

/** The limits of an attempt after which another endpoint can be asked, where the account has such. */
function limitsBeforeFallback({ call, parts }: ChatRun, { readBy }: Asking): Timeouts {
  const { idleMs, ...others } = parts.account.routing?.limitsBeforeFallback ?? {};
  // A pause in a stream that cannot be rescued is better waited out.
  const isRescued = readBy === 'seam' || isHeld(call.request, parts);
  const lower = Object.entries({ ...others, ...(isRescued && { idleMs }) }).filter(([, limit]) => limit !== undefined);
  return { ...parts.timeouts, ...Object.fromEntries(lower) };
}

/** Calls one endpoint; in one piece where no stage needs the pieces, which costs less (docs/decisions/0012). */
function ask(endpoint: Endpoint, run: ChatRun, turn: ChatTurn, asking: Asking): Promise<Beginning> {
  const request = toFitting(turn.request, endpoint, run, asking);
  const provider: WholeProvider = endpoint.provider;
  // What reads across a seam is always a stream.
  if (request.stream === true || asking.readBy === 'guard' || provider.chatWhole === undefined) {
    return askForPieces(endpoint, request, run, turn, asking);
  }
  return provider.chatWhole(toChatCall(endpoint, request, run, turn, asking)).then((chunk) => {
    const failure = failureWithoutOutput([chunk], provider.name);
    if (failure !== null) throw failure;
    return { first: [chunk], rest: null };
  });
}

/** The request for one endpoint. */
function toFitting(
  request: ChatCompletionRequest,
  endpoint: Endpoint,
  { parts: { catalog } }: ChatRun,
  { fit }: Asking,
): ChatCompletionRequest {
  return toTierRequest(fit === null ? request : fit(request, endpoint), endpoint, catalog);
}

type Batches = AsyncIterator<readonly ChatChunk[]>;

function askForPieces(
  endpoint: Endpoint,
  request: ChatCompletionRequest,
  run: ChatRun,
  turn: ChatTurn,
  asking: Asking,
): Promise<Beginning> {
  const { messages } = turn.request;
  const { platform } = run.parts;
  return beginStream(endpoint, run, turn, asking, (signal) => {
    const batches = openStream(endpoint, toChatCall(endpoint, request, run, { ...turn, signal }, asking));
    const whole = asking.readBy === 'seam' ? continueElsewhere(batches, endpoint, run, turn, asking) : batches;
    // Filters read what the caller sees, so that they hold across the place where a completion is continued.
    return run.guard === null ? whole : guardCompletion(whole, run.guard, { messages, platform });
  });
}

function continueElsewhere(
  batches: Batches,
  endpoint: Endpoint,
  run: ChatRun,
  turn: ChatTurn,
  asking: Asking,
): Batches {
  const ask = (other: Endpoint, { request, prefill, timeouts }: AskedRest): Promise<Beginning> =>
    beginStream(other, run, turn, asking, (signal) => {
      const call = toChatCall(other, toFitting(request, other, run, asking), run, { ...turn, signal }, asking);
      const form = prefill === '' ? undefined : (other.prefill ?? undefined);
      return openStream(other, { ...call, prefill: form, timeouts });
    });
  return continueBroken(batches, { run, turn, endpoint, ask });
}

function openStream({ provider }: Endpoint, call: ChatCall): Batches {
  const chunks = provider.chat?.(call);
  if (chunks === undefined) throw new GatewayError('not_found', `${provider.name} does not offer chat`);
  return chunks[Symbol.asyncIterator]();
}

/** Reads a stream up to its first output, within the limit for it; one that is held up to its end. */
async function beginStream(
  endpoint: Endpoint,
  run: ChatRun,
  turn: ChatTurn,
  asking: Asking,
  open: (signal: AbortSignal) => Batches,
): Promise<Beginning> {
  const attempt = openAttempt(endpoint, run, turn, asking);
  let held: CompletionAccumulator | null = null;
  try {
    const rest = open(attempt.signal);
    const first = await readFirst(rest, attempt.signal, endpoint.provider.name);
    attempt.onBegun();
    const { output } = run.parts.filterFunctions;
    if (output === null && (turn.request.stream !== true || !isHeld(turn.request, run.parts))) return { first, rest };
    held = createHeldCompletion();
    const holding = { providerName: endpoint.provider.name, signal: attempt.signal, completion: held };
    if (output === null) return await holdToEnd({ first, rest }, holding);
    // Nothing passes that they have not seen, however long it is.
    const whole = await holdToEnd({ first, rest }, { ...holding, mostChunks: Number.POSITIVE_INFINITY });
    return await filterCompletion(whole, run, output, attempt.signal);
  } catch (error) {
    if (held !== null && turn.signal.aborted) noteHeld(endpoint, run, turn, held);
    attempt.abandon(error);
    throw error;
  }
}

/** What is held when the caller leaves, or the operator ends the call, costs as much as what was relayed. */
function noteHeld(
  endpoint: Endpoint,
  { observer, toolSet }: ChatRun,
  { request: { messages } }: ChatTurn,
  completion: CompletionAccumulator,
): void {
  // A completion that was continued at another endpoint is noted already, part by part.
  const isNoted = toolSet === null && observer.endpoint() !== undefined;
  if (!isNoted) observer.noteHeld({ endpoint, messages, completion });
}

function toChatCall(
  endpoint: Endpoint,
  request: ChatCompletionRequest,
  run: ChatRun,
  { onUpstreamBody, signal, isLast }: ChatTurn,
  asking: Asking,
): ChatCall {
  const { call, plan, observer, parts } = run;
  const isGateway = endpoint.provider.gateway !== undefined;
  return {
    generationId: call.id,
    request,
    providerModel: endpoint.providerModel,
    stream: request.stream === true,
    supportedParameters: endpoint.supportedParameters,
    maxOutputTokens: endpoint.maxCompletionTokens,
    isOfFamily: plan.strategy === 'latest',
    ignoresCalls: isLast,
    native: nativeOf(request),
    // A part in another form could not follow one in upstream's own.
    keepsNative: asking.readBy === 'none',
    onward: isGateway ? toOnwardCall(endpoint, request, run) : undefined,
    traceparent: toTraceparent(call, parts.platform),
    onUpstreamBody,
    onSent: observer.sentTo(endpoint),
    signal,
    timeouts: asking.timeouts ?? parts.timeouts,
  };
}

function toOnwardCall(
  endpoint: Endpoint,
  request: ChatCompletionRequest,
  { call: { kind }, caller, onwardPlugins, parts: { account, catalog } }: ChatRun,
): OnwardCall {
  const constraints = caller.policy?.constraints ?? [];
  const asked = preferencesUpstream({ kind, request }, account);
  return {
    preferences: toOnwardPreferences(endpoint, { asked, account, constraints, catalog }),
    plugins: [...onwardPlugins],
  };
}

const doNothing = (): void => undefined;

interface OpenAttempt {
  readonly signal: AbortSignal;
  /** A token has arrived: the limit for the first one is over. */
  onBegun(): void;
  /** The attempt has failed. A provider that failed for its own reasons may still hold a connection. */
  abandon(error: unknown): void;
}

/** A streamed attempt can end before its call, by the limit on its first token; an unstreamed one cannot. */
function openAttempt(
  endpoint: Endpoint,
  { parts }: ChatRun,
  { request, signal }: ChatTurn,
  { timeouts = parts.timeouts }: Asking,
): OpenAttempt {
  if (request.stream !== true) return { signal, onBegun: doNothing, abandon: doNothing };
  const attempt = new AbortController();
  const onAbort = (): void => attempt.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const firstToken = parts.wheel.add(() => {
    attempt.abort(new GatewayError('timeout', `${endpoint.provider.name} sent no token within the time limit`));
  });
  firstToken.set(timeouts.firstTokenMs);
  return {
    signal: attempt.signal,
    onBegun: () => firstToken.clear(),
    abandon(error) {
      firstToken.clear();
      signal.removeEventListener('abort', onAbort);
      attempt.abort(error);
    },
  };
}

async function readFirst(
  chunks: AsyncIterator<readonly ChatChunk[]>,
  signal: AbortSignal,
  providerName: string,
): Promise<readonly ChatChunk[]> {
  let first: readonly ChatChunk[] = [];
  for (;;) {
    const result = await raceAbort(chunks.next(), signal);
    if (result.done === true) {
      const empty = new GatewayError('provider_unavailable', `${providerName} returned an empty response`);
      throw failureWithoutOutput(first, providerName) ?? empty;
    }
    first = first.length === 0 ? result.value : [...first, ...result.value];
    // Usage alone is no output, nor is an error: another endpoint can still take over without a visible change.
    if (first.some(({ choices }) => choices.some(hasOutput))) return first;
  }
}

/** The endpoint's own tier replaces the caller's; where tiers are separate endpoints, ordinary ones get none. */
function toTierRequest(request: ChatCompletionRequest, endpoint: Endpoint, catalog: Catalog): ChatCompletionRequest {
  const tier = tierOf(endpoint);
  if (tier !== null) return { ...request, service_tier: tier };
  const asked = request.service_tier;
  if (asked !== 'priority' && asked !== 'fast' && asked !== 'flex') return request;
  const siblings = catalog.find(endpoint.modelId)?.endpoints ?? [];
  return siblings.some((sibling) => tierOf(sibling) !== null) ? { ...request, service_tier: null } : request;
}
