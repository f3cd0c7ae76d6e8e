import type { InTurn } from '../foundation/queues.ts';
import type { GenerationRecord } from '../stores/generations.ts';
import type { Store } from '../stores/store.ts';
import type { Generation } from '../wire/generation.ts';

/** What changes records after their calls. */
export interface RecordChangeParts {
  readonly store: Pick<Store, 'generations'>;
  /** The turns of changes in this process. */
  readonly recordTurns: InTurn;
}

/**
 * Changes a record that was found. A store takes whole records, so each change begins with what the one before has left:
 * feedback of a user and a review at the same moment are both kept.
 */
export async function changeGeneration(
  found: GenerationRecord,
  { store, recordTurns }: RecordChangeParts,
  change: (generation: Generation) => Generation,
): Promise<void> {
  await recordTurns(async () => {
    const record = (await store.generations.get(found.generation.id)) ?? found;
    await store.generations.update({ ...record, generation: change(record.generation) });
  });
}
