import type { Store } from '../stores/store.ts';
import type { Destination } from '../wire/destinations.ts';
import { createDestinationFilter } from './destination-filter.ts';

const PAGE = 500;
const MAX_UNDELIVERED = 10_000;

/**
 * Ids of generations that were recorded and not sent, oldest first: those newer than the destination's cursor or,
 * without a cursor, than its last change. At most the newest 10,000; none in a shared store, where each process sends its own.
 */
export async function findUndelivered(
  destination: Destination,
  { isShared, broadcasts, generations }: Pick<Store, 'isShared' | 'broadcasts' | 'generations'>,
): Promise<readonly string[]> {
  if (isShared === true) return [];
  const takes = createDestinationFilter(destination);
  const progress = await broadcasts.get(destination.id);
  const through = progress?.kind === 'progress' ? progress.through : undefined;
  const since = Date.parse(destination.updated_at);
  const undelivered: string[] = [];
  let before: string | undefined;
  for (let looked = 0; looked < MAX_UNDELIVERED; looked += PAGE) {
    const { records, next } = await generations.page({ limit: PAGE, before });
    for (const record of records) {
      const { id, created_at: createdAt } = record.generation;
      const isOld = through === undefined ? Date.parse(createdAt) < since : id === through;
      if (isOld) return undelivered.toReversed();
      if (takes(record)) undelivered.push(id);
    }
    if (next === null) break;
    before = next;
  }
  return undelivered.toReversed();
}
