import type { JournaledRecord, Logger, RecordJournal } from '@model-gateway/core';

import { causeOf } from './batch-error.ts';
import {
  type BatchLimits,
  countWithin,
  createWritePace,
  type PendingRecord,
  type PendingRecords,
  readPendingRecord,
} from './pending-records.ts';

/** Records that are in the journal alone: an earlier process has left them, or memory had no room for them. */
export interface Backlog {
  readonly isEmpty: boolean;
  /** How many records there are; a segment that an earlier process has left counts as one until it is read. */
  readonly records: number;
  /** Records of a segment are not in memory. */
  add(segment: number, records: number): void;
  /** Reads the segment that it is at from the beginning. */
  restart(): void;
  /** Writes the next records of the oldest segment, one call at a time. When it rejects, they come again. */
  writeNext(limits: BatchLimits, write: (records: readonly PendingRecord[]) => Promise<void>): Promise<void>;
}

interface BacklogOptions {
  readonly journal: RecordJournal;
  readonly pending: PendingRecords;
  readonly logger: Logger | undefined;
}

interface Reading {
  readonly segment: number;
  readonly pieces: AsyncIterator<readonly JournaledRecord[]>;
  /** What was read and is not written yet. */
  records: readonly PendingRecord[];
}

export function createBacklog({ journal, pending, logger }: BacklogOptions): Backlog {
  /** Records of each segment, the oldest first. */
  const segments = new Map<number, number>();
  let reading: Reading | undefined;

  const begin = async (): Promise<Reading | undefined> => {
    const [segment] = segments.keys();
    if (segment === undefined) return undefined;
    await journal.end(segment);
    return { segment, pieces: journal.read(segment)[Symbol.asyncIterator](), records: [] };
  };
  /** False at the end of the segment. */
  const readOn = async (from: Reading): Promise<boolean> => {
    try {
      const next = await from.pieces.next();
      if (next.done === true) return false;
      from.records = await readAll(next.value);
      return true;
    } catch (error) {
      // An iterator that has failed says next that it is at its end: what it has not read would be taken for settled.
      reading = undefined;
      throw error;
    }
  };
  /** No id twice; the first version of each, as the database would have it. */
  const readAll = async (piece: readonly JournaledRecord[]): Promise<readonly PendingRecord[]> => {
    const byId = new Map<string, PendingRecord>();
    for (const journaled of piece) {
      if (byId.has(journaled.id)) continue;
      try {
        byId.set(journaled.id, readPendingRecord(journaled.record, journaled.content));
      } catch (error) {
        const reason = causeOf(error);
        logger?.error('A record in the journal cannot be read; it is set aside', { id: journaled.id, reason });
        await journal.setAside(journaled, reason);
      }
    }
    return [...byId.values()];
  };
  return {
    get isEmpty() {
      return segments.size === 0;
    },
    get records() {
      let records = 0;
      for (const count of segments.values()) records += count;
      return records;
    },
    add(segment, records) {
      segments.set(segment, (segments.get(segment) ?? 0) + records);
    },
    restart() {
      reading = undefined;
    },
    async writeNext(limits, write) {
      reading ??= await begin();
      if (reading === undefined) return;
      const from = reading;
      const isOver = from.records.length === 0 && !(await readOn(from));
      // It is to be read again.
      if (reading !== from) return;
      if (isOver) {
        journal.settle(from.segment, segments.get(from.segment) ?? 0);
        segments.delete(from.segment);
        reading = undefined;
        return;
      }
      const count = countWithin(from.records, limits);
      // One that is in memory as well is written from there, where it may have been changed since it was read.
      await write(from.records.slice(0, count).filter(({ id }) => pending.find(id)?.segment !== from.segment));
      from.records = from.records.slice(count);
    },
  };
}

/** Brings what is in the journal alone to the database, beside the batches of what is in memory. */
export interface BacklogWriter extends Pick<Backlog, 'isEmpty' | 'records' | 'add' | 'restart'> {
  /** Whether something is being written. */
  readonly isActive: boolean;
  /** Above 0 while it does not succeed. */
  readonly retryMs: number;
  /** Begins with what is there, as the database is. */
  wake(): void;
  /** Begins nothing more. */
  stop(): void;
}

interface BacklogWriterOptions extends BacklogOptions {
  readonly write: (records: readonly PendingRecord[]) => Promise<void>;
  /** Called after each step. */
  readonly onStep: () => void;
}

const MESSAGES = {
  failed: 'Generations in the journal cannot be brought to the database; they stay there, and it is tried again',
  recovered: 'Generations in the journal are brought to the database again',
};

export function createBacklogWriter({ write, onStep, ...options }: BacklogWriterOptions): BacklogWriter {
  const backlog = createBacklog(options);
  const pace = createWritePace(options.logger, MESSAGES);
  let timer: NodeJS.Timeout | undefined;
  let isActive = false;
  let isAwake = false;

  const schedule = (): void => {
    if (!isAwake || isActive || timer !== undefined || backlog.isEmpty) return;
    timer = setTimeout(() => {
      timer = undefined;
      void writeNext();
    }, pace.retryMs);
  };
  const writeNext = async (): Promise<void> => {
    isActive = true;
    try {
      await backlog.writeNext(pace.limits, write);
      pace.succeed();
    } catch (error) {
      pace.fail(error);
    }
    isActive = false;
    schedule();
    onStep();
  };
  const cancel = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    get isEmpty() {
      return backlog.isEmpty;
    },
    get records() {
      return backlog.records;
    },
    get isActive() {
      return isActive;
    },
    get retryMs() {
      return pace.retryMs;
    },
    add(segment, records) {
      backlog.add(segment, records);
      schedule();
    },
    restart: backlog.restart,
    wake() {
      isAwake = true;
      pace.resume();
      cancel();
      schedule();
    },
    stop() {
      isAwake = false;
      cancel();
    },
  };
}
