import type { Platform } from '../../foundation/platform.ts';
import { createCountRing, type CountRing } from './rings.ts';

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
