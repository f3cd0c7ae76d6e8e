import type { Endpoint } from '../catalog/catalog.ts';
import { type ErrorCode, GatewayError } from '../errors.ts';
import type { GenerationObserver } from '../generations/observe-generation.ts';
import type { Route } from '../routing/plan-route.ts';
import type { Runtime } from '../runtime.ts';
import type { ChatChunk } from '../schemas/chat-chunk.ts';
import type { ChatCompletionRequest } from '../schemas/chat-completion.ts';
import { TransportError } from '../transport.ts';

/** An answer that has begun. From here on there is no going back to another endpoint. */
export interface CommittedAnswer {
  readonly endpoint: Endpoint;
  /** Everything up to and including the first batch that says something. */
  readonly first: readonly ChatChunk[];
  readonly rest: AsyncIterator<readonly ChatChunk[]>;
}

export interface AttemptsOptions {
  readonly runtime: Runtime;
  readonly request: ChatCompletionRequest;
  readonly route: Route;
  readonly observer: GenerationObserver;
  /** Fires when the call must end, with the `GatewayError` to end it as its reason. */
  readonly signal: AbortSignal;
}

/** The caller's own mistakes. Another endpoint of the same model would say the same; another model may not. */
const SAME_EVERYWHERE: ReadonlySet<ErrorCode> = new Set([
  'invalid_request',
  'context_length_exceeded',
  'content_policy_violation',
  'payload_too_large',
  'unprocessable',
]);

/**
 * Tries endpoint after endpoint, model after model, until one has said something. Throws the last failure when all
 * have failed, or the signal's reason as soon as it fires.
 */
export async function runAttempts(options: AttemptsOptions): Promise<CommittedAnswer> {
  const failures: GatewayError[] = [];
  for (const endpoints of options.route) {
    for (const endpoint of endpoints) {
      options.signal.throwIfAborted();
      const startedAt = options.runtime.platform.monotonicNow();
      const latencyMs = (): number => options.runtime.platform.monotonicNow() - startedAt;
      try {
        const answer = await begin(endpoint, options);
        options.observer.noteAttempt({ endpoint, latencyMs: latencyMs(), error: null });
        return answer;
      } catch (thrown) {
        const error = toCallError(thrown, endpoint.provider.name);
        options.observer.noteAttempt({ endpoint, latencyMs: latencyMs(), error });
        options.signal.throwIfAborted();
        failures.push(error);
        if (SAME_EVERYWHERE.has(error.code)) break;
      }
    }
  }
  throw toFinalError(failures);
}

/** Asks one endpoint and waits until it says something. */
async function begin(endpoint: Endpoint, options: AttemptsOptions): Promise<CommittedAnswer> {
  const { runtime, request } = options;
  const attempt = openAttempt(endpoint, options);
  try {
    const chunks = endpoint.provider.chat?.({
      generationId: options.observer.id,
      request,
      providerModel: endpoint.providerModel,
      stream: request.stream === true,
      supportedParameters: endpoint.supportedParameters,
      signal: attempt.signal,
      timeouts: runtime.timeouts,
    });
    if (chunks === undefined) throw new GatewayError('not_found', `${endpoint.provider.name} offers no chat`);
    const rest = chunks[Symbol.asyncIterator]();
    const first = await readFirst(rest, attempt.signal, endpoint.provider.name);
    attempt.onBegun();
    return { endpoint, first, rest };
  } catch (error) {
    attempt.abandon(error);
    throw error;
  }
}

interface AttemptLife {
  readonly signal: AbortSignal;
  /** A token has come: the limit on the first one is over. */
  onBegun(): void;
  /** The attempt has failed. A provider that failed for its own reasons may still hold a connection. */
  abandon(error: unknown): void;
}

/** A streamed attempt can end before its call does, by the limit on its first token. An unstreamed one shares its call's fate. */
function openAttempt(endpoint: Endpoint, { runtime, request, signal }: AttemptsOptions): AttemptLife {
  if (request.stream !== true) return { signal, onBegun: () => undefined, abandon: () => undefined };
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

/** Waits no longer than the signal allows, even for a provider that does not heed it. */
export function raceAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    promise.then(
      (value) => {
        signal.removeEventListener('abort', onAbort);
        resolve(value);
      },
      (error: Error) => {
        signal.removeEventListener('abort', onAbort);
        reject(error);
      },
    );
  });
}

/** What anything thrown on the way of a call means to its caller. */
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

/** The last failure speaks for all, and names those before it. A wait is only promised when every endpoint named one. */
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
      })),
    },
  });
}
