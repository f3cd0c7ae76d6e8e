import type { Attempt, Outcome } from '../calls/attempt.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { raceAbort } from '../foundation/awaitable.ts';
import { GatewayError, isCallersMistake } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { TransportError } from '../foundation/transport.ts';
import { isCompletionBlocked } from '../guardrails/verdict.ts';
import type { HealthBoard } from '../routing/health/health-board.ts';
import { mayRetry, type RetryBudget } from '../routing/retry-budget.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { SkipReason } from '../wire/routing.ts';

/** The first output of an endpoint. From here on the call cannot change to another endpoint. */
interface Attempted<First> {
  readonly endpoint: Endpoint;
  /** Time at which this endpoint was called, on the monotonic clock. */
  readonly startedAt: number;
  readonly first: First;
}

export interface AttemptParts {
  readonly platform: Pick<Platform, 'monotonicNow'>;
  readonly health: HealthBoard;
  readonly retryBudget: RetryBudget;
}

interface AttemptOptions {
  /** In the order in which they are called. */
  readonly endpoints: readonly Endpoint[];
  /** Receives every endpoint that was called, with its outcome. */
  readonly onAttempt: (attempt: Attempt) => void;
  /** Receives every endpoint that was passed over after a failure. */
  readonly onSkip?: ((endpoint: Endpoint, reason: SkipReason) => void) | undefined;
  /** The failure of an endpoint that had begun, after which these are asked: each of them is a retry. */
  readonly after?: Refusal | undefined;
  /** Fires when the call must end, with the `GatewayError` to end it as its reason. */
  readonly signal: AbortSignal;
  readonly parts: AttemptParts;
}

/** Limit of attempts after the first, whatever the number of endpoints. */
const MAX_RETRIES = 2;

/**
 * Calls endpoint after endpoint until one has begun to respond. Throws the last failure when all have failed or no more
 * may be tried, or the signal's reason as soon as it fires.
 */
export async function runAttempts<First>(
  { endpoints, onAttempt, onSkip, after, signal, parts }: AttemptOptions,
  ask: (endpoint: Endpoint) => Promise<First>,
): Promise<Attempted<First>> {
  const { platform, health: board, retryBudget } = parts;
  const failures: GatewayError[] = [];
  const firstModel = endpoints[0]?.modelId ?? '';
  let refusal = after;
  for (const endpoint of endpoints) {
    signal.throwIfAborted();
    if (refusal !== undefined) {
      if (failures.length > MAX_RETRIES) {
        onSkip?.(endpoint, 'attempt_limit');
        continue;
      }
      if (wouldSayTheSame(endpoint, refusal)) {
        onSkip?.(endpoint, 'same_refusal');
        continue;
      }
      // A caller's mistake is no outage, so another model may be called without a check of the retry budget.
      if (!isCallersMistake(refusal.error.code)) {
        let allowed = mayRetry(endpoint, firstModel, parts);
        // Not in a function of its own: it would return later than the next waiting call asks.
        while (typeof allowed !== 'boolean') {
          allowed = (await raceAbort(allowed, signal)) ?? mayRetry(endpoint, firstModel, parts);
        }
        if (!allowed) {
          onSkip?.(endpoint, 'retry_budget');
          continue;
        }
      }
    } else retryBudget.noteRequest(firstModel);
    const health = board.of(endpoint);
    const startedAt = platform.monotonicNow();
    health.noteStarted();
    try {
      // An unstreamed completion that arrived as its client left is passed on, too, because it was paid for.
      const first = await ask(endpoint);
      const latencyMs = platform.monotonicNow() - startedAt;
      health.noteBegun(latencyMs);
      onAttempt({ endpoint, startedAt, latencyMs, error: null });
      return { endpoint, startedAt, first };
    } catch (thrown) {
      const error = toCallError(thrown, endpoint.provider.name);
      if (signal.aborted) health.noteAbandoned();
      else health.noteFailed(error, false);
      onAttempt({ endpoint, startedAt, latencyMs: platform.monotonicNow() - startedAt, error });
      signal.throwIfAborted();
      failures.push(error);
      refusal = { endpoint, error };
    }
  }
  throw toFinalError(failures);
}

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

/** Converts an exception during a call to the error that the caller receives. */
export function toCallError(thrown: unknown, providerName: string): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const metadata = { provider_name: providerName };
  if (thrown instanceof TransportError) {
    return new GatewayError(
      thrown.timedOut ? 'timeout' : 'provider_unavailable',
      `${providerName}: ${thrown.message}`,
      {
        cause: thrown,
        metadata,
      },
    );
  }
  return new GatewayError('internal', 'Internal Server Error', { cause: thrown });
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
