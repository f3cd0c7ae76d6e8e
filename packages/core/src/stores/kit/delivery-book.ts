import type { DeliveryAttempt, DeliveryLog } from '../store.ts';

/** Keeps what became of the deliveries of the latest generations in memory. */
export function createDeliveryBook(maxGenerations: number): DeliveryLog {
  /** In order of their first attempt. */
  const held = new Map<string, DeliveryAttempt[]>();
  return {
    async append(attempt) {
      for (const id of attempt.generationIds) {
        const known = held.get(id);
        if (known === undefined) held.set(id, [attempt]);
        else known.push(attempt);
      }
      for (const id of held.keys()) {
        if (held.size <= maxGenerations) break;
        held.delete(id);
      }
    },
    of: (generationId) => held.get(generationId) ?? [],
  };
}
