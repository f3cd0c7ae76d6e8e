import type { Endpoint } from '../catalog/catalog.ts';
import { GatewayError, isCallersMistake } from '../foundation/errors.ts';
import type { GenerationObserver } from '../generations/observe/observe-generation.ts';
import { type AnswerGuardOptions, guardAnswer } from '../guardrails/guard-answer.ts';
import { mayRetry } from '../routing/may-retry.ts';
import type { RoutePlan } from '../routing/plan-route.ts';
import { toTierRequest } from '../routing/to-tier-request.ts';
import type { ChatCall } from '../providers/provider.ts';
import type { Runtime } from '../runtime.ts';
import type { ChatChunk } from '../wire/chat/chat-chunk.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import { toCallError, toFinalError } from './call-errors.ts';
import type { FitRequest } from '../chat/stages/prompt-compression/shorten-prompt.ts';
import { raceAbort } from '../foundation/race-abort.ts';

/** An answer that has begun. From here on there is no going back to another endpoint. */
export interface CommittedAnswer {
  readonly endpoint: Endpoint;
  /** When this endpoint was asked, on the monotonic clock. */
  readonly startedAt: number;
  /** Everything up to and including the first batch that says something. */
  readonly first: readonly ChatChunk[];
  /** `NOTHING_MORE` for an answer that came whole. */
  readonly rest: AsyncIterator<readonly ChatChunk[]>;
  /** Its endpoint's health has heard of it already, or has nothing to do with it. */
  readonly isAccountedFor?: boolean;
}

/** Where an answer comes from: endpoints, or what stands between them and the caller. */
export type BeginAnswer = (options: AttemptsOptions) => Promise<CommittedAnswer>;

/** Known by its identity, so that nobody has to wait for what is known already. */
export const NOTHING_MORE: AsyncIterator<readonly ChatChunk[]> = {
  next: () => Promise.resolve({ done: true, value: undefined }),
};

export interface AttemptsOptions {
  readonly runtime: Runtime;
  readonly request: ChatCompletionRequest;
  readonly route: RoutePlan;
  readonly observer: GenerationObserver;
  readonly guard: AnswerGuardOptions | null;
  /** Null when the request goes to every endpoint as it is. */
  readonly fit: FitRequest | null;
  /** Told what each endpoint is sent, where the caller wants to see it. */
  readonly onUpstreamBody?: ((body: unknown) => void) | undefined;
  /** Fires when the call must end, with the `GatewayError` to end it as its reason. */
  readonly signal: AbortSignal;
}

/** Beyond the first attempt, whatever the number of endpoints. */
const MAX_RETRIES = 2;

/**
 * Tries endpoint after endpoint until one has said something. Throws the last failure when all have failed or no more
 * may be tried, or the signal's reason as soon as it fires.
 */
export async function runAttempts(options: AttemptsOptions): Promise<CommittedAnswer> {
  const { runtime, route, observer, signal } = options;
  const failures: GatewayError[] = [];
  const firstModel = route.endpoints[0]?.modelId ?? '';
  let refusal: Refusal | undefined;
  for (const endpoint of route.endpoints) {
    signal.throwIfAborted();
    if (refusal !== undefined) {
      if (failures.length > MAX_RETRIES) break;
      if (wouldSayTheSame(endpoint, refusal)) continue;
      // A mistake of the caller's is no outage, so another model may be asked without further ado.
      if (!isCallersMistake(refusal.error.code)) {
        const allowed = mayRetry(endpoint, firstModel, runtime);
        if (!(typeof allowed === 'boolean' ? allowed : await raceAbort(allowed, signal))) continue;
      }
    } else runtime.retryBudget.noteRequest(firstModel);
    const health = runtime.health.of(endpoint);
    const startedAt = runtime.platform.monotonicNow();
    health.noteStarted();
    try {
      const said = await ask(endpoint, options);
      // One that came whole as its client left is handed on, too: it was paid for.
      const { first, rest } = 'first' in said ? said : { first: [said], rest: NOTHING_MORE };
      const latencyMs = runtime.platform.monotonicNow() - startedAt;
      health.noteBegun(latencyMs);
      observer.noteAttempt({ endpoint, latencyMs, error: null });
      return { endpoint, startedAt, first, rest };
    } catch (thrown) {
      const error = toCallError(thrown, endpoint.provider.name);
      if (signal.aborted) health.noteAbandoned();
      else health.noteFailed(error, false);
      observer.noteAttempt({ endpoint, latencyMs: runtime.platform.monotonicNow() - startedAt, error });
      signal.throwIfAborted();
      failures.push(error);
      refusal = { endpoint, error };
    }
  }
  throw toFinalError(failures);
}

/** The latest failure. */
interface Refusal {
  readonly endpoint: Endpoint;
  readonly error: GatewayError;
}

/** Only another model would take what the caller got wrong, or a longer endpoint what was too long. */
function wouldSayTheSame(endpoint: Endpoint, { endpoint: refusing, error }: Refusal): boolean {
  if (!isCallersMistake(error.code) || endpoint.modelId !== refusing.modelId) return false;
  if (error.code !== 'context_length_exceeded' || refusing.contextLength === null) return true;
  return endpoint.contextLength === null || endpoint.contextLength <= refusing.contextLength;
}

/** What one endpoint says first, once it does: an answer that comes whole is known by its type, and has nothing more. */
function ask(endpoint: Endpoint, options: AttemptsOptions): Promise<ChatChunk | Beginning> {
  const { runtime, fit, guard } = options;
  const fitting = fit === null ? options.request : fit(options.request, endpoint);
  const request = toTierRequest(fitting, endpoint, runtime.catalog);
  const { provider } = endpoint;
  if (request.stream === true || guard !== null || provider.chatWhole === undefined) {
    return askForPieces(endpoint, request, options);
  }
  return provider.chatWhole(toCall(endpoint, request, options, options.signal));
}

type Beginning = Pick<CommittedAnswer, 'first' | 'rest'>;

async function askForPieces(
  endpoint: Endpoint,
  request: ChatCompletionRequest,
  options: AttemptsOptions,
): Promise<Beginning> {
  const attempt = openAttempt(endpoint, options);
  try {
    const chunks = endpoint.provider.chat?.(toCall(endpoint, request, options, attempt.signal));
    if (chunks === undefined) throw new GatewayError('not_found', `${endpoint.provider.name} offers no chat`);
    const answered = chunks[Symbol.asyncIterator]();
    const rest = options.guard === null ? answered : guardAnswer(answered, options.guard);
    const first = await readFirst(rest, attempt.signal, endpoint.provider.name);
    attempt.onBegun();
    return { first, rest };
  } catch (error) {
    attempt.abandon(error);
    throw error;
  }
}

function toCall(
  endpoint: Endpoint,
  request: ChatCompletionRequest,
  options: AttemptsOptions,
  signal: AbortSignal,
): ChatCall {
  return {
    generationId: options.observer.id,
    request,
    providerModel: endpoint.providerModel,
    stream: request.stream === true,
    supportedParameters: endpoint.supportedParameters,
    maxOutputTokens: endpoint.maxCompletionTokens,
    isOfFamily: options.route.strategy === 'latest',
    onUpstreamBody: options.onUpstreamBody,
    signal,
    timeouts: options.runtime.timeouts,
  };
}

const doNothing = (): void => undefined;

interface AttemptLife {
  readonly signal: AbortSignal;
  /** A token has come: the limit on the first one is over. */
  onBegun(): void;
  /** The attempt has failed. A provider that failed for its own reasons may still hold a connection. */
  abandon(error: unknown): void;
}

/** A streamed attempt can end before its call does, by the limit on its first token. An unstreamed one shares its call's fate. */
function openAttempt(endpoint: Endpoint, { runtime, request, signal }: AttemptsOptions): AttemptLife {
  if (request.stream !== true) return { signal, onBegun: doNothing, abandon: doNothing };
  const attempt = new AbortController();
  const onAbort = (): void => attempt.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const firstToken = runtime.wheel.add(() => {
    attempt.abort(new GatewayError('timeout', `${endpoint.provider.name} sent no token within the time limit`));
  });
  firstToken.set(runtime.timeouts.firstTokenMs);
  return {
    signal: attempt.signal,
    onBegun: firstToken.clear,
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
      throw new GatewayError('provider_unavailable', `${providerName} returned an empty answer`);
    }
    first = first.length === 0 ? result.value : [...first, ...result.value];
    // Usage alone says nothing yet: until there is a choice, another endpoint can still take over unseen.
    if (first.some(({ choices }) => choices.length > 0)) return first;
  }
}
