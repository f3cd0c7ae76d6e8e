import type { InTurnOf } from '../foundation/queues.ts';
import type { GenerationRecord } from '../stores/generations.ts';
import type { Store } from '../stores/store.ts';
import type { Generation } from '../wire/generation.ts';

/** What changes records after their calls. */
export interface RecordChangeParts {
  readonly store: Pick<Store, 'generations'>;
  /** The turns of changes in this process, by the ids of records. */
  readonly recordTurns: InTurnOf;
}

/**
 * Changes a record that was found. A store takes whole records, so each change begins with what the one before has left:
 * feedback of a user and a review at the same moment are both kept. Where several processes share the store, it sees to
 * that between them. Changes of other records do not wait: one may wait for its database for long.
 */
export async function changeGeneration(
  found: GenerationRecord,
  { store, recordTurns }: RecordChangeParts,
  change: (generation: Generation) => Generation,
): Promise<void> {
  const { generations } = store;
  const { id } = found.generation;
  const toNext = (record: GenerationRecord): GenerationRecord => ({ ...record, generation: change(record.generation) });
  await recordTurns(id, async () => {
    if (generations.change !== undefined) await generations.change(id, toNext);
    else await generations.update(toNext((await generations.get(id)) ?? found));
  });
}
