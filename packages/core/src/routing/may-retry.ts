import type { RetryBudget } from './health/retry-budget.ts';
import type { HealthBoard } from './health/health-board.ts';
import type { Endpoint } from '../catalog/catalog.ts';

interface RetryParts {
  readonly health: HealthBoard;
  readonly retryBudget: RetryBudget;
}

/**
 * Whether a call for a model that has failed elsewhere may go on to this endpoint.
 *
 * Not to one that is broken or has asked to be left alone. To any other out of the budget of the model that was asked
 * for first. When that is spent, and the endpoint is sound, one call at a time may still find out whether it answers,
 * and the others wait for what becomes of it. So an endpoint that is well takes over everything, and in an outage of all
 * of them a tenth of the requests is asked for twice, and hardly more.
 *
 * A promise only where there is something to wait for: who may go on must set out before anybody else asks, or those
 * who wait would not know of the call that they are waiting for.
 */
export function mayRetry(
  endpoint: Endpoint,
  modelId: string,
  { health, retryBudget }: RetryParts,
): boolean | Promise<boolean> {
  const candidate = health.of(endpoint);
  const isSound = (): boolean => candidate.circuitState() === 'steady' || candidate.circuitState() === 'half-open';
  if (candidate.circuitState() === 'open' || candidate.circuitState() === 'resting') return false;
  if (retryBudget.take(modelId)) return true;
  if (!isSound()) return false;
  return candidate.isIdle() || candidate.awaitProof().then((isProven) => isProven && isSound());
}
