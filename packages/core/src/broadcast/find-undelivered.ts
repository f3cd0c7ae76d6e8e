import type { Store } from '../stores/store.ts';
import type { Destination } from '../wire/destinations/destination.ts';
import { createTakesGeneration } from './destination-filter.ts';

const PAGE = 500;
const MAX_MISSED = 10_000;

/**
 * Ids of generations that were recorded and not sent, oldest first: newer than the destination's progress or, without
 * any, than its last change. At most the newest 10,000; none in a shared store, where each process sends its own.
 */
export async function findMissed(
  destination: Destination,
  { isShared, broadcasts, generations }: Pick<Store, 'isShared' | 'broadcasts' | 'generations'>,
): Promise<readonly string[]> {
  if (isShared === true) return [];
  const takes = createTakesGeneration(destination);
  const progress = await broadcasts.get(destination.id);
  const through = progress?.kind === 'progress' ? progress.through : undefined;
  const since = Date.parse(destination.updated_at);
  const missed: string[] = [];
  let before: string | undefined;
  for (let looked = 0; looked < MAX_MISSED; looked += PAGE) {
    const { records, next } = await generations.page({ limit: PAGE, before });
    for (const record of records) {
      const { id, created_at: createdAt } = record.generation;
      const isOld = through === undefined ? Date.parse(createdAt) < since : id === through;
      if (isOld) return missed.toReversed();
      if (takes(record)) missed.push(id);
    }
    if (next === null) break;
    before = next;
  }
  return missed.toReversed();
}
