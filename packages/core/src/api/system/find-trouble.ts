import type { Trouble } from '../../wire/account.ts';
import type { SystemParts } from './system-parts.ts';

/** What is wrong with this process, the worst first, and why; null when nothing is. */
export function findTrouble({
  closing,
  counters,
  shared,
  store,
}: Pick<SystemParts, 'closing' | 'counters' | 'shared' | 'store'>): {
  readonly trouble: Trouble;
  readonly reason: string;
} | null {
  if (closing.hasBegun()) return { trouble: 'closing', reason: 'It ends once its open calls have ended' };
  const readiness = store.readiness?.();
  if (readiness?.isReady === false) return { trouble: 'store_not_ready', reason: readiness.reason };
  const storeOutage = store.engine?.outage?.() ?? null;
  if (storeOutage !== null) return { trouble: 'store_away', reason: storeOutage };
  const sharedOutage = shared?.engine?.outage?.() ?? null;
  if (sharedOutage !== null) return { trouble: 'shared_away', reason: sharedOutage };
  const { recordFailures: count } = counters;
  if (count === 0) return null;
  return { trouble: 'unrecorded', reason: `Generations that could not be recorded since the start: ${count}` };
}
