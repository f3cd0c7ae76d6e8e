import type { Outcome } from '../calls/attempt.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { raceAbort } from '../foundation/awaitable.ts';
import { GatewayError, isCallersMistake } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import type { CallObserver } from '../generations/observer.ts';
import { isCompletionBlocked } from '../guardrails/verdict.ts';
import type { LiveRateLimits } from '../limits/rate-limits.ts';
import { type CountRing, createCountRing } from '../routing/health/circuit.ts';
import type { HealthBoard } from '../routing/health/endpoint-health.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { AgainReason, SkipReason } from '../wire/routing.ts';
import { type FailoverWish, isFinalRefusal, planSecondTry, waitFor } from './ask-again.ts';
import { askByKeys, type KeyedWish, type KeyUse } from './ask-by-keys.ts';
import { asItIs, askOnce, type Attempted, notItsOwn } from './ask-endpoint.ts';
import { leavePlaces, takePlaces, type TakingParts } from './held-places.ts';

/** What attempts of every call share. */
export interface AttemptParts extends TakingParts {
  readonly platform: Pick<Platform, 'monotonicNow' | 'setTimer'>;
  readonly health: HealthBoard;
  readonly retryBudget: RetryBudget;
  /** For endpoints whose provider has several keys. */
  readonly pools: KeyUse;
  readonly rateLimits: Pick<LiveRateLimits, 'current'>;
}

interface AttemptOptions {
  /** In the order in which they are called. */
  readonly endpoints: readonly Endpoint[];
  /** Notes every endpoint that is called, with its outcome, and every one that is passed over after a failure. */
  readonly observer: Pick<CallObserver, 'noteAsked' | 'noteAttempt' | 'noteSkipped' | 'attempts'>;
  /** The failure of an endpoint that had begun, after which these are asked: each of them is a retry. */
  readonly after?: Refusal | undefined;
  /** What each endpoint is sent is its own, so that the refusal of one says nothing of another. */
  readonly isSentApart?: boolean | undefined;
  readonly wish: FailoverWish & KeyedWish;
  /** Fires when the call must end, with the `GatewayError` to end it as its reason. */
  readonly signal: AbortSignal;
  readonly parts: AttemptParts;
}

/** Sends the call to an endpoint. After `hasFallback` it may give up sooner. */
type Ask<First> = (endpoint: Endpoint, hasFallback: boolean) => Promise<First>;

/** Limit of attempts after the first, whatever the number of endpoints. */
const MAX_RETRIES = 2;

/**
 * Calls endpoint after endpoint until one has begun to respond. Throws the last failure when all have failed or no more
 * may be tried, or the signal's reason as soon as it fires.
 */
export async function runAttempts<First>(options: AttemptOptions, ask: Ask<First>): Promise<Attempted<First>> {
  const { endpoints, observer, wish, signal, parts } = options;
  const { health: board, retryBudget } = parts;
  const refusals: Refusal[] = [];
  const firstModel = endpoints[0]?.modelId ?? '';
  const { routing } = wish.account;
  const isLeft = (at: number): boolean => endpoints.some((other, index) => index > at && isCallable(other, board));
  let refusal = options.after;
  let again: AgainReason | undefined;
  let timesAgain = 0;
  for (let at = 0; at < endpoints.length; at += again === undefined ? 1 : 0) {
    const endpoint = endpoints[at] as Endpoint;
    signal.throwIfAborted();
    timesAgain = again === undefined ? 0 : timesAgain + 1;
    if (refusal === undefined) retryBudget.noteRequest(firstModel);
    else if (again === undefined) {
      let reason = whySkipped(endpoint, refusal, refusals, options);
      if (reason === null && refusals.length === MAX_RETRIES && isKeptForOther(at, refusals, options)) {
        reason = 'attempt_limit';
      }
      // A caller's mistake is no outage, so another model may be called without a check of the retry budget.
      if (reason === null && !isCallersMistake(refusal.error.code)) {
        let allowed = mayRetry(endpoint, firstModel, parts);
        // Inlined: a helper function would settle one microtask later, after the next waiting call has already asked
        // (docs/decisions/0011).
        while (typeof allowed !== 'boolean') {
          allowed = (await raceAbort(allowed, signal)) ?? mayRetry(endpoint, firstModel, parts);
        }
        if (!allowed) reason = 'retry_budget';
      }
      if (reason !== null) {
        observer.noteSkipped(endpoint, reason);
        continue;
      }
    }
    const health = board.of(endpoint);
    const isLast = at === endpoints.length - 1;
    const wasWell = !routing?.retriesAtEndpoint || timesAgain > 0 || isLast || health.circuitState() === 'steady';
    const hasFallback = routing?.limitsBeforeFallback !== undefined && refusals.length < MAX_RETRIES && isLeft(at);
    const isFurther = endpoint.modelId !== firstModel || options.after !== undefined;
    const admitting = isFurther ? admitFurther(endpoint, refusals, options) : null;
    const limited = admitting === null ? null : await admitting;
    const scopes = limited === null ? parts.callLimits.of(wish.call.principal, endpoint) : null;
    const full = scopes === null ? limited : await takePlaces(scopes, { call: wish.call, signal }, parts);
    const attempted =
      full !== null
        ? ((await askOnce({ endpoint, again, judge: notItsOwn }, options, () => Promise.reject(full))) ?? full)
        : endpoint.provider.keys === undefined
          ? await askOnce({ endpoint, again, key: endpoint.keyName, judge: asItIs }, options, () =>
              ask(endpoint, hasFallback),
            )
          : await askByKeys(endpoint, again, options, (keyed) => ask(keyed, hasFallback));
    if (!(attempted instanceof GatewayError)) return attempted;
    if (scopes !== null) leavePlaces(scopes, wish.call.id, parts.places);
    refusal = { endpoint, error: attempted, isOfModel: limited !== null };
    refusals.push(refusal);
    if (again === 'waited') health.noteWaitedInVain();
    // With another endpoint left, keep one attempt for it. Do not retry a limit of the gateway on the model: the second
    // try would bypass it.
    const isOut = limited !== null || refusals.length > (isLast ? MAX_RETRIES : MAX_RETRIES - 1);
    const second = isOut ? null : planSecondTry({ error: attempted, health, timesAgain, wasWell }, wish.account);
    again = undefined;
    if (second === null || !retryBudget.take(firstModel)) continue;
    if (second.afterMs > 0) await waitFor(second.afterMs, signal, parts.platform);
    again = second.reason;
  }
  throw toFinalError(refusals.map(({ error }) => error));
}

/**
 * Whether the last attempt of a call is kept for a model that has not been asked, so that a model with many endpoints
 * does not use up the attempts of those that the caller named after it. Where the caller wants the endpoints of all
 * models in one order, that order holds.
 */
function isKeptForOther(
  at: number,
  refusals: readonly Refusal[],
  { endpoints, after, wish: { call }, parts: { health, retryBudget } }: AttemptOptions,
): boolean {
  const wasAsked = ({ modelId }: Endpoint): boolean =>
    after?.endpoint.modelId === modelId || refusals.some(({ endpoint }) => endpoint.modelId === modelId);
  if (!wasAsked(endpoints[at] as Endpoint)) return false;
  // A spent budget passes over an endpoint that is not well, for which nothing must be given up.
  const isSpent = retryBudget.isSpent(endpoints[0]?.modelId ?? '');
  const mayFollow = (endpoint: Endpoint): boolean =>
    isSpent ? isSound(endpoint, health) : isCallable(endpoint, health);
  const isLeft = endpoints.some((other, index) => index > at && !wasAsked(other) && mayFollow(other));
  return isLeft && call.kind.preferencesOf(call.request).partition !== 'none';
}

function isCallable(endpoint: Endpoint, board: HealthBoard): boolean {
  const state = board.of(endpoint).circuitState();
  return state !== 'open' && state !== 'resting';
}

/** Whether an endpoint may be asked although the budget of retries is spent. */
function isSound(endpoint: Endpoint, board: HealthBoard): boolean {
  const state = board.of(endpoint).circuitState();
  return state === 'steady' || state === 'half-open';
}

interface Refusal {
  readonly endpoint: Endpoint;
  readonly error: GatewayError;
  /** It is a limit of the gateway on the model, which every endpoint of it has. */
  readonly isOfModel?: boolean | undefined;
}

/**
 * Counts a call at the rate limits of a model that it comes to after another one; null where it has been counted, or no
 * rule names the model. Resolves with the refusal, which the next model may not share.
 */
function admitFurther(
  { modelId }: Endpoint,
  refusals: readonly Refusal[],
  { observer, signal, wish: { call }, parts }: AttemptOptions,
): Promise<GatewayError | null> | null {
  const limits = parts.rateLimits.current();
  if (limits === null || refusals.some(({ endpoint }) => endpoint.modelId === modelId)) return null;
  // An earlier turn of the call has been served by it.
  if (observer.attempts().some(({ endpoint, error }) => error === null && endpoint.modelId === modelId)) return null;
  const admitting = limits.admitFurther(call.principal, modelId);
  return (
    admitting &&
    raceAbort(admitting, signal).then(
      () => null,
      (error: unknown) => {
        if (signal.aborted || !(error instanceof GatewayError)) throw error;
        return error;
      },
    )
  );
}

/** Why an endpoint is passed over after a failure, before the budget of retries is asked; null when it is not. */
function whySkipped(
  endpoint: Endpoint,
  refusal: Refusal,
  refusals: readonly Refusal[],
  { wish, isSentApart }: Pick<AttemptOptions, 'wish' | 'isSentApart'>,
): SkipReason | null {
  if (refusals.length > MAX_RETRIES) return 'attempt_limit';
  if (isFinalRefusal(refusal.error, wish)) return 'final_refusal';
  if (refusals.some(({ isOfModel, endpoint: { modelId } }) => isOfModel === true && modelId === endpoint.modelId)) {
    return 'same_refusal';
  }
  return isSentApart !== true && wouldSayTheSame(endpoint, refusal) ? 'same_refusal' : null;
}

/** Only another model would take what the caller got wrong, or a longer endpoint what was too long. */
function wouldSayTheSame(endpoint: Endpoint, { endpoint: refusing, error }: Refusal): boolean {
  if (!isCallersMistake(error.code) || error.isOfEndpoint || endpoint.modelId !== refusing.modelId) return false;
  if (error.code !== 'context_length_exceeded' || refusing.contextLength === null) return true;
  return endpoint.contextLength === null || endpoint.contextLength <= refusing.contextLength;
}

interface OutcomeParts {
  readonly health: HealthBoard;
  readonly platform: Pick<Platform, 'monotonicNow'>;
}

/** A call that had begun at an endpoint, and how it ended. */
interface EndedAttempt {
  readonly endpoint: Endpoint;
  /** Time at which the endpoint was called, on the monotonic clock. */
  readonly startedAt: number;
  readonly outcome: Outcome;
  readonly usage: Usage | undefined;
}

/**
 * Reports how a call that began at an endpoint ended to its health; not a call that its client, the closing gateway or
 * a guardrail ended, which contains no information about the endpoint.
 */
export function noteOutcome(
  { endpoint, startedAt, outcome, usage }: EndedAttempt,
  { health, platform }: OutcomeParts,
): void {
  const endpointHealth = health.of(endpoint);
  if (outcome.status === 'failed' && !isCompletionBlocked(outcome.error))
    endpointHealth.noteFailed(outcome.error, true);
  if (outcome.status !== 'completed') return;
  const tokens = usage?.estimated === true ? undefined : usage?.completion_tokens;
  endpointHealth.noteCompleted(tokens, platform.monotonicNow() - startedAt);
}

/** The last failure, with a list of those before it, and a retry time only when every endpoint named one. */
function toFinalError(failures: readonly GatewayError[]): GatewayError {
  const last = failures.at(-1);
  if (last === undefined) return new GatewayError('not_found', 'No endpoint can serve this request');
  const waits = failures.map(({ retryAfterSeconds }) => retryAfterSeconds);
  const retryAfterSeconds = waits.every((wait) => wait !== undefined) ? Math.min(...waits) : undefined;
  if (failures.length === 1) return last;
  return new GatewayError(last.code, last.message, {
    cause: last.cause ?? last,
    retryAfterSeconds,
    upstreamStatus: last.upstreamStatus,
    metadata: {
      ...last.metadata,
      previous_errors: failures.slice(0, -1).map((failure) => ({
        code: failure.status,
        message: failure.message,
        provider_name: failure.metadata?.['provider_name'],
        raw: failure.metadata?.['raw'],
      })),
    },
  });
}

/** Limits what retries may add to the load of providers that are in trouble already. */
export interface RetryBudget {
  /** A request for this model sets out. */
  noteRequest(modelId: string): void;
  /** Takes a retry of a request for this model out of the budget, if there is one left. */
  take(modelId: string): boolean;
  /** Whether none is left; takes none. */
  isSpent(modelId: string): boolean;
}

const SLOT_MS = 10_000;
const SLOTS = 6;
/** Share of the requests within the last minute. */
const SHARE = 0.1;
/** Allows retries on a gateway with few requests. */
const AT_LEAST = 10;

/** Per model, because outages are: a tenth of the last minute's requests, at least ten (docs/decisions/0011). */
export function createRetryBudget(platform: Pick<Platform, 'monotonicNow'>): RetryBudget {
  /** Requests count as good, retries as bad. */
  const byModel = new Map<string, CountRing>();
  const ringOf = (modelId: string): CountRing => {
    let ring = byModel.get(modelId);
    if (ring === undefined) {
      ring = createCountRing(SLOT_MS, SLOTS);
      byModel.set(modelId, ring);
    }
    return ring;
  };
  const isSpent = (modelId: string): boolean => {
    const { good: requests, bad: retries } = ringOf(modelId).sum(platform.monotonicNow());
    return retries >= Math.max(AT_LEAST, Math.floor(requests * SHARE));
  };
  return {
    isSpent,
    noteRequest: (modelId) => ringOf(modelId).add(platform.monotonicNow(), true),
    take(modelId) {
      if (isSpent(modelId)) return false;
      ringOf(modelId).add(platform.monotonicNow(), false);
      return true;
    },
  };
}

interface RetryParts {
  readonly health: HealthBoard;
  readonly retryBudget: RetryBudget;
}

/**
 * Whether a call that has failed elsewhere may continue to this endpoint (docs/decisions/0011): not when its circuit is
 * open or it rests; else within the retry budget of the model requested first. When that is spent and the endpoint is
 * healthy, one call at a time may try it, and the others wait for its result. So a healthy endpoint takes over all
 * calls, and in an outage of all only about a tenth of the requests is sent twice. Returns a promise only where a call
 * has to wait. It resolves with undefined when the client of the call that was waited for has left: then ask again.
 * A call that may continue must start before the next one asks, or the others could not wait for it.
 */
function mayRetry(
  endpoint: Endpoint,
  modelId: string,
  { health, retryBudget }: RetryParts,
): boolean | Promise<boolean | undefined> {
  const candidate = health.of(endpoint);
  if (!isCallable(endpoint, health)) return false;
  if (retryBudget.take(modelId)) return true;
  if (!isSound(endpoint, health)) return false;
  if (candidate.isIdle()) return true;
  return candidate
    .awaitProof()
    .then((proof) => (proof === 'none' ? undefined : proof === 'responded' && isSound(endpoint, health)));
}
