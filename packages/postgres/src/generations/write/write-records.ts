import type { Logger, RecordJournal } from '@model-gateway/core';

import { isMissingDay, isRefusal, messageOf } from './batch-error.ts';
import type { LateRecords } from './late-records.ts';
import type { PendingRecord } from './pending-record.ts';
import type { PendingRecords } from './pending-records.ts';
import { type LeftOut, replaceRecord, writeBatch, type WriteParts } from './write-batch.ts';

export interface RecordsParts extends WriteParts {
  readonly pending: PendingRecords;
  readonly journal: RecordJournal | undefined;
  readonly logger: Logger | undefined;
  readonly late: LateRecords;
  /** Removes the content of a generation that is in the database. */
  readonly deleteContent: (id: string) => Promise<boolean>;
  /** Says of records that nothing waits for them any more. */
  readonly announce: (ids: readonly string[]) => void;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Writes records and settles them; one that the database refuses is found by halves and set aside, so that it stops no
 * other. Rejects where the database does not take them now; those that are still to be written are pending then.
 */
export async function writeRecords(parts: RecordsParts, records: readonly PendingRecord[]): Promise<void> {
  if (records.length === 0) return;
  let leftOut: LeftOut;
  try {
    leftOut = await writeBatch(parts, records);
    await writeChanges(parts, records, leftOut.known);
  } catch (error) {
    if (isMissingDay(error)) parts.days.forget();
    if (!isRefusal(error)) throw error;
    const [only] = records;
    if (records.length === 1 && only !== undefined) return setAside(parts, only, error);
    const half = Math.ceil(records.length / 2);
    await writeRecords(parts, records.slice(0, half));
    await writeRecords(parts, records.slice(half));
    return;
  }
  parts.late.note(records, leftOut.late);
  settle(parts, records, leftOut.known);
  parts.announce(records.map(({ id }) => id));
}

/** Where the database has a version from a batch that had seemed to fail, and it has since been changed here. */
async function writeChanges(
  parts: RecordsParts,
  records: readonly PendingRecord[],
  known: ReadonlySet<string>,
): Promise<void> {
  for (const record of records) {
    if (!record.isChanged || !known.has(record.id)) continue;
    await replaceRecord(parts, record);
    if (record.content === null) await parts.deleteContent(record.id);
  }
}

async function setAside(parts: RecordsParts, record: PendingRecord, error: unknown): Promise<void> {
  const { pending, journal, logger, announce } = parts;
  const reason = messageOf(error);
  logger?.error('The database refuses a generation; it is set aside and counts for nothing', {
    id: record.id.slice(0, 200),
    reason,
  });
  try {
    await journal?.setAside({ id: record.id, record: record.text, content: record.content?.text ?? null }, reason);
  } catch (failure) {
    // The backlog comes back to what it has read.
    if (pending.find(record.id) !== record) throw failure;
    logger?.error('A generation that the database refuses cannot be set aside; it stays in the journal', {
      id: record.id.slice(0, 200),
      reason: messageOf(failure),
    });
    // Not settled in its segment, it is there for the next start.
    record.segment = null;
  }
  record.settled?.reject(error);
  settle(parts, [record], NONE);
  announce([record.id]);
}

/** `known`: the ids that were there before. */
function settle(
  { pending, journal }: RecordsParts,
  records: readonly PendingRecord[],
  known: ReadonlySet<string>,
): void {
  const bySegment = new Map<number, number>();
  for (const record of records) {
    pending.remove(record);
    record.settled?.resolve(!known.has(record.id));
    if (record.segment !== null) bySegment.set(record.segment, (bySegment.get(record.segment) ?? 0) + 1);
  }
  for (const [segment, count] of bySegment) journal?.settle(segment, count);
}
