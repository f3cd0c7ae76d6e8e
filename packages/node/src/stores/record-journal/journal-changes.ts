import { createTurns, type JournaledChange } from '@model-gateway/core';

import { openRowLog, type RowLogOptions } from '../journal/row-log.ts';

/** The changes of records in the journal, in a file of their own: they are few. */
export interface JournalChanges {
  find(id: string): JournaledChange | undefined;
  add(change: JournaledChange): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes those that an earlier process has left. */
  removeRecovered(): Promise<void>;
  close(): Promise<void>;
}

export async function openJournalChanges(
  options: Omit<RowLogOptions<JournaledChange>, 'isRetained'>,
): Promise<JournalChanges> {
  const log = await openRowLog<JournaledChange>({ ...options, isRetained: () => true });
  const changes = new Map(log.rows.map((row) => [row.id, row]));
  const recovered = [...changes.keys()];
  const inTurn = createTurns();
  const remove = (id: string): Promise<void> =>
    inTurn(async () => {
      if (!changes.delete(id)) return;
      await log.write({ removed: id });
    });
  return {
    find: (id) => changes.get(id),
    add: (change) =>
      inTurn(async () => {
        const merged = { ...changes.get(change.id), ...change };
        await log.write({ put: merged });
        changes.set(change.id, merged);
      }),
    remove,
    async removeRecovered() {
      for (const id of recovered.splice(0)) await remove(id);
    },
    close: () => inTurn(log.close),
  };
}
