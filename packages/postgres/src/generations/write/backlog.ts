import type { JournaledRecord, Logger, RecordJournal } from '@model-gateway/core';

import { messageOf } from './batch-error.ts';
import { type PendingRecord, readPendingRecord } from './pending-record.ts';

/** Records that are in the journal alone: an earlier process has left them, or memory had no room for them. */
export interface Backlog {
  readonly isEmpty: boolean;
  /** Records of a segment are not in memory. */
  add(segment: number, records: number): void;
  /** Writes the next piece of the oldest segment. When it rejects, that piece comes again. */
  writeNext(write: (records: readonly PendingRecord[]) => Promise<void>): Promise<void>;
}

export function createBacklog(journal: RecordJournal, logger: Logger | undefined): Backlog {
  /** Records of each segment, the oldest first. */
  const segments = new Map<number, number>();
  let reading: { readonly segment: number; readonly pieces: AsyncIterator<readonly JournaledRecord[]> } | undefined;
  let piece: readonly JournaledRecord[] | undefined;

  const begin = async (): Promise<void> => {
    const [segment] = segments.keys();
    if (segment === undefined || reading !== undefined) return;
    await journal.end(segment);
    reading = { segment, pieces: journal.read(segment)[Symbol.asyncIterator]() };
  };
  return {
    get isEmpty() {
      return segments.size === 0;
    },
    add(segment, records) {
      segments.set(segment, (segments.get(segment) ?? 0) + records);
    },
    async writeNext(write) {
      await begin();
      if (reading === undefined) return;
      const { segment, pieces } = reading;
      if (piece === undefined) {
        const next = await pieces.next();
        if (next.done === true) {
          journal.settle(segment, segments.get(segment) ?? 0);
          segments.delete(segment);
          reading = undefined;
          return;
        }
        piece = next.value;
      }
      await write(readAll(piece, logger));
      piece = undefined;
    },
  };
}

/** No id twice; the first version of each, as the database would have it. */
function readAll(piece: readonly JournaledRecord[], logger: Logger | undefined): readonly PendingRecord[] {
  const byId = new Map<string, PendingRecord>();
  for (const { id, record, content } of piece) {
    if (byId.has(id)) continue;
    try {
      byId.set(id, readPendingRecord(record, content));
    } catch (error) {
      logger?.error('A record in the journal cannot be read; it is left out', { id, reason: messageOf(error) });
    }
  }
  return [...byId.values()];
}
