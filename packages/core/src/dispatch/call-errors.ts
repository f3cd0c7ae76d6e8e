import { GatewayError } from '../foundation/errors.ts';
import { TransportError } from '../foundation/transport.ts';

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
export function toFinalError(failures: readonly GatewayError[]): GatewayError {
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
