import type { Endpoint } from '../catalog/catalog.ts';
import type { Platform } from '../foundation/platform.ts';
import { type CountRing, createCountRing } from './health/circuit.ts';
import type { HealthBoard } from './health/health-board.ts';

/** Limits what retries may add to the load of providers that are in trouble already. */
export interface RetryBudget {
  /** A request for this model sets out. */
  noteRequest(modelId: string): void;
  /** Takes a retry of a request for this model out of the budget, if there is one left. */
  take(modelId: string): boolean;
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
  return {
    noteRequest: (modelId) => ringOf(modelId).add(platform.monotonicNow(), true),
    take(modelId) {
      const ring = ringOf(modelId);
      const { good: requests, bad: retries } = ring.sum(platform.monotonicNow());
      if (retries >= Math.max(AT_LEAST, Math.floor(requests * SHARE))) return false;
      ring.add(platform.monotonicNow(), false);
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
