import type { Endpoint } from '../catalog/catalog.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { TransportError } from '../foundation/transport.ts';
import type { CallObserver } from '../generations/observer.ts';
import type { HealthBoard } from '../routing/health/endpoint-health.ts';
import type { AgainReason } from '../wire/routing.ts';

/** The first output of an endpoint. From here on the call cannot change to another endpoint. */
export interface Attempted<First> {
  readonly endpoint: Endpoint;
  /** Time at which this endpoint was called, on the monotonic clock. */
  readonly startedAt: number;
  readonly first: First;
}

/** One attempt at an endpoint. */
interface Asking {
  readonly endpoint: Endpoint;
  readonly again: AgainReason | undefined;
  /** Name of the provider's key that it is sent with; absent where the provider has one alone. */
  readonly key?: string | undefined;
  /** What a failure means for the endpoint; null where it says nothing of it, because another key is asked. */
  readonly judge: (error: GatewayError) => GatewayError | null;
}

/** The judgement of a refusal by the gateway itself. */
export const notItsOwn = (): null => null;

export interface AskingOptions {
  readonly observer: Pick<CallObserver, 'noteAsked' | 'noteAttempt'>;
  readonly signal: AbortSignal;
  readonly parts: { readonly platform: Pick<Platform, 'monotonicNow'>; readonly health: HealthBoard };
}

/** The judgement of a failure at a provider with one key. */
export const asItIs = (error: GatewayError): GatewayError => error;

/**
 * Asks one endpoint, and notes how that went: for the record, and for its health. Resolves with its failure as it was
 * judged; throws the signal's reason when that has fired meanwhile. The endpoint counts as asked before this returns.
 */
export async function askOnce<First, Failure extends GatewayError | null>(
  { endpoint, again, key, judge }: Asking & { readonly judge: (error: GatewayError) => Failure },
  { observer, signal, parts }: AskingOptions,
  ask: () => Promise<First>,
): Promise<Attempted<First> | Failure> {
  const { platform } = parts;
  const health = parts.health.of(endpoint);
  const startedAt = platform.monotonicNow();
  health.noteStarted();
  observer.noteAsked(endpoint);
  try {
    // An unstreamed completion that arrived as its client left is passed on, too, because it was paid for.
    const first = await ask();
    const latencyMs = platform.monotonicNow() - startedAt;
    health.noteBegun(latencyMs);
    observer.noteAttempt({ endpoint, startedAt, latencyMs, error: null, again, key });
    return { endpoint, startedAt, first };
  } catch (thrown) {
    const error = toCallError(thrown, endpoint.provider.name);
    const failure = signal.aborted ? null : judge(error);
    if (failure === null) health.noteAbandoned();
    else health.noteFailed(failure, false);
    observer.noteAttempt({ endpoint, startedAt, latencyMs: platform.monotonicNow() - startedAt, error, again, key });
    signal.throwIfAborted();
    // Null only where the judge has said so.
    return failure as Failure;
  }
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
