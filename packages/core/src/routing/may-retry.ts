import type { Endpoint } from '../catalog/catalog.ts';
import type { HealthBoard } from './health/health-board.ts';
import type { RetryBudget } from './health/retry-budget.ts';

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
export function mayRetry(
  endpoint: Endpoint,
  modelId: string,
  { health, retryBudget }: RetryParts,
): boolean | Promise<boolean | undefined> {
  const candidate = health.of(endpoint);
  const isSound = (): boolean => candidate.circuitState() === 'steady' || candidate.circuitState() === 'half-open';
  if (candidate.circuitState() === 'open' || candidate.circuitState() === 'resting') return false;
  if (retryBudget.take(modelId)) return true;
  if (!isSound()) return false;
  if (candidate.isIdle()) return true;
  return candidate.awaitProof().then((proof) => (proof === 'none' ? undefined : proof === 'responded' && isSound()));
}
