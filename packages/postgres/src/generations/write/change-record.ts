import type { GenerationRecord, Logger, RecordJournal } from '@model-gateway/core';

import { messageOf } from './batch-error.ts';
import type { BatchWriter } from './batch-writer.ts';
import { type PendingRecord, settledOf, toPendingRecord } from './pending-record.ts';
import { replaceRecord, type WriteParts } from './write-batch.ts';

export interface ChangeOptions extends WriteParts {
  readonly writer: BatchWriter;
  readonly journal: RecordJournal | undefined;
  readonly logger: Logger | undefined;
  /** Removes a content from the database. */
  readonly deleteStored: (id: string) => Promise<boolean>;
  /** For what an earlier process has left in the journal. */
  readonly backlogLimitMs: number;
}

/** Creates `update` and `deleteContent`, of generations wherever they are. */
export function createChanges(options: ChangeOptions): {
  update(record: GenerationRecord): Promise<boolean>;
  deleteContent(id: string): Promise<boolean>;
} {
  const { writer, journal, deleteStored, backlogLimitMs } = options;

  /** Changes a record that waits for its batch; false when it is not there, as then the database has it. */
  const changePending = async (id: string, change: (record: PendingRecord) => void): Promise<boolean> => {
    // A batch that is being written has the old version.
    while (writer.pending.find(id)?.state === 'writing') await writer.flush();
    const pending = writer.pending.find(id);
    if (pending === undefined) return false;
    change(pending);
    pending.isChanged = pending.wasTried;
    return true;
  };
  const orAfterBacklog = async (change: () => Promise<boolean>): Promise<boolean> => {
    if (await change()) return true;
    if (writer.backlog?.isEmpty !== false) return false;
    await writer.emptyBacklog(backlogLimitMs);
    return change();
  };
  return {
    async update(record) {
      const { id } = record.generation;
      const version = toPendingRecord(record, null);
      const isPending = await changePending(id, (pending) => {
        pending.record = record;
        pending.text = version.text;
      });
      if (!isPending) return orAfterBacklog(() => replaceRecord(options, version));
      await (journal === undefined ? writer.flush() : noteChange(options, { id, record }));
      return true;
    },
    async deleteContent(id) {
      let had = false;
      const isPending = await changePending(id, (pending) => {
        had = pending.content !== null;
        pending.content = null;
      });
      if (!isPending) return orAfterBacklog(() => deleteStored(id));
      if (had) await (journal === undefined ? writer.flush() : noteChange(options, { id, isContentDeleted: true }));
      return had;
    },
  };
}

/** Notes a change in the journal until the record is in the database with it. */
async function noteChange(
  { journal, writer, logger }: ChangeOptions,
  change: Parameters<RecordJournal['change']>[0],
): Promise<void> {
  const pending = writer.pending.find(change.id);
  const settled = pending === undefined ? undefined : settledOf(pending);
  await journal?.change(change);
  const forget = (): Promise<void> | undefined => journal?.settleChange(change.id);
  void settled?.then(forget, forget).catch((error: unknown) => {
    logger?.warn('A change that was written could not be removed from the journal', { reason: messageOf(error) });
  });
}
