import { GatewayError, type Logger, type RecordJournal } from '@model-gateway/core';

import { type BacklogWriter, createBacklogWriter } from './backlog.ts';
import { causeOf, isMissingDay, isRefusal } from './batch-error.ts';
import {
  createPendingRecords,
  createWritePace,
  type PendingRecord,
  type PendingRecords,
  type WritePace,
} from './pending-records.ts';
import { type LeftOut, replaceRecord, writeBatch, type WriteParts } from './write-batch.ts';

interface BatchWriterOptions extends WriteParts {
  readonly journal: RecordJournal | undefined;
  readonly logger: Logger | undefined;
  /** Removes the content of a generation that is in the database. */
  readonly deleteContent: (id: string) => Promise<boolean>;
}

/** Brings records to the database in batches, again and again until it takes them. */
export interface BatchWriter {
  readonly pending: PendingRecords;
  /** Records in the journal alone. */
  readonly backlog: Pick<BacklogWriter, 'isEmpty' | 'add' | 'restart'> | undefined;
  /** Adds a record. `isUrgent`: a caller waits for it. */
  add(record: PendingRecord, isUrgent: boolean): void;
  /** Begins with what waits, as the database is there. */
  wake(): void;
  /** Resolves when all that is pending now is in the database; rejects with a 503 where that takes too long. */
  flush(): Promise<void>;
  /** Resolves when the backlog is empty, or after the time. */
  emptyBacklog(limitMs: number): Promise<void>;
  onCounted(listener: (ids: readonly string[]) => void): () => void;
  /** How many records are not in the database yet. */
  countWaiting(): number;
  /** Whether the database did not take the last batch. */
  isAway(): boolean;
  /** Says of a record that will never be in the database that nothing waits for it. */
  giveUp(id: string): void;
  /** How many came whose day retention has dropped. */
  countLate(): number;
  /** Writes what can be written soon. Resolves with what is still pending. */
  close(): Promise<Unwritten>;
}

/** How many records wait at the end. */
interface Unwritten {
  readonly inJournal: number;
  readonly inMemoryAlone: number;
}

/** Batches of what is in memory. */
const MAX_AT_ONCE = 2;
/** With more records waiting than this, a second batch is written beside the first. */
const FULL_BATCH = 500;
const GATHER_MS = 50;
/** When a caller waits, only what arrives at the same time is gathered. */
const GATHER_URGENT_MS = 1;
const FLUSH_LIMIT_MS = 2500;
const FLUSH_LIMIT_WHEN_DOWN_MS = 500;
const CLOSE_LIMIT_MS = 5000;
const MESSAGES = {
  failed: 'The database does not take generations; they wait, and are written when it does',
  recovered: 'The database takes generations again',
};

interface WriterState {
  readonly pending: PendingRecords;
  readonly pace: WritePace;
  readonly waits: ConditionWaits;
  readonly write: (records: readonly PendingRecord[]) => Promise<void>;
  timer: NodeJS.Timeout | undefined;
  /** When the timer fires, by the monotonic clock. */
  dueAt: number;
  active: number;
  isClosed: boolean;
}

export function createBatchWriter(options: BatchWriterOptions): BatchWriter {
  const { journal, logger } = options;
  const pending = createPendingRecords();
  const late = createLateRecords(logger);
  const pace = createWritePace(logger, MESSAGES);
  const waits = createConditionWaits();
  const listeners = new Set<(ids: readonly string[]) => void>();
  const announce = (ids: readonly string[]): void => {
    for (const listener of listeners) listener(ids);
  };
  const parts = { ...options, pending, late, announce };
  const write = (records: readonly PendingRecord[]): Promise<void> => writeRecords(parts, records);
  const backlog =
    journal === undefined ? undefined : createBacklogWriter({ journal, pending, logger, write, onStep: waits.endStep });
  const state: WriterState = {
    pending,
    pace,
    waits,
    write,
    timer: undefined,
    dueAt: 0,
    active: 0,
    isClosed: false,
  };
  return {
    pending,
    backlog,
    add(record, isUrgent) {
      pending.add(record);
      // It is due within that time already.
      if (!isUrgent && state.timer !== undefined) return;
      wakeIn(state, isUrgent ? GATHER_URGENT_MS : GATHER_MS);
    },
    wake() {
      // The database may come when the store has been closed.
      if (state.isClosed) return;
      pace.resume();
      wakeIn(state, 0);
      backlog?.wake();
    },
    async flush() {
      if (pending.size === 0) return;
      const upTo = pending.last();
      wakeIn(state, 0);
      const limitMs = pace.retryMs === 0 ? FLUSH_LIMIT_MS : FLUSH_LIMIT_WHEN_DOWN_MS;
      if (await waits.until(limitMs, () => pending.isSettled(upTo))) return;
      throw new GatewayError('provider_overloaded', 'The database of the gateway is not available; try again shortly', {
        retryAfterSeconds: 1,
      });
    },
    async emptyBacklog(limitMs) {
      await waits.until(limitMs, () => backlog?.isEmpty !== false);
    },
    onCounted(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    countWaiting: () => pending.size + (backlog?.records ?? 0),
    isAway: () => pace.retryMs > 0,
    giveUp: (id) => announce([id]),
    countLate: late.count,
    async close() {
      wakeIn(state, 0);
      const isAway = pace.retryMs > 0 || (backlog?.retryMs ?? 0) > 0;
      const limitMs = isAway ? FLUSH_LIMIT_WHEN_DOWN_MS : CLOSE_LIMIT_MS;
      await waits.until(limitMs, () => pending.size === 0 && backlog?.isEmpty !== false);
      state.isClosed = true;
      clearTimeout(state.timer);
      backlog?.stop();
      await waits.until(CLOSE_LIMIT_MS, () => state.active === 0 && backlog?.isActive !== true);
      const inJournal = [...pending.all()].filter(({ segment }) => segment !== null).length;
      return { inJournal, inMemoryAlone: pending.size - inJournal };
    },
  };
}

function wakeIn(state: WriterState, gatherMs: number): void {
  if (state.isClosed) return;
  const delayMs = Math.max(gatherMs, state.pace.retryMs);
  const dueAt = performance.now() + delayMs;
  if (state.timer !== undefined) {
    if (state.dueAt <= dueAt) return;
    clearTimeout(state.timer);
  }
  state.dueAt = dueAt;
  state.timer = setTimeout(() => {
    state.timer = undefined;
    beginWrites(state);
  }, delayMs);
}

/** Begins whatever can be begun now. */
function beginWrites(state: WriterState): void {
  const { pending, pace } = state;
  const isAllowed = (): boolean =>
    state.active === 0 || (state.active < MAX_AT_ONCE && pending.queued >= FULL_BATCH && pace.retryMs === 0);
  while (!state.isClosed && pending.queued > 0 && isAllowed()) void writeNext(state);
}

async function writeNext(state: WriterState): Promise<void> {
  const { pending, pace } = state;
  const batch = pending.take(pace.limits);
  state.active += 1;
  try {
    await state.write(batch);
    pace.succeed();
  } catch (error) {
    pending.putBack(batch);
    pace.fail(error, { waiting: pending.size });
  }
  state.active -= 1;
  if (pending.queued > 0) wakeIn(state, pending.queued >= FULL_BATCH ? 0 : GATHER_MS);
  state.waits.endStep();
}

/** Waits for conditions that only change in steps. */
interface ConditionWaits {
  /** True as soon as the condition holds after a step, false after the time. */
  until(limitMs: number, isMet: () => boolean): Promise<boolean>;
  /** Looks at all conditions, as a step has ended. */
  endStep(): void;
}

function createConditionWaits(): ConditionWaits {
  const looks = new Set<() => void>();
  return {
    until(limitMs, isMet) {
      if (isMet()) return Promise.resolve(true);
      return new Promise((resolve) => {
        const end = (result: boolean): void => {
          clearTimeout(timer);
          looks.delete(look);
          resolve(result);
        };
        const look = (): void => {
          if (isMet()) end(true);
        };
        const timer = setTimeout(() => end(false), limitMs);
        looks.add(look);
      });
    },
    endStep() {
      for (const look of looks) look();
    },
  };
}

interface RecordsParts extends WriteParts {
  readonly pending: PendingRecords;
  readonly journal: RecordJournal | undefined;
  readonly logger: Logger | undefined;
  readonly late: LateRecords;
  /** Removes the content of a generation that is in the database. */
  readonly deleteContent: (id: string) => Promise<boolean>;
  /** Says of records that nothing waits for them any more. */
  readonly announce: (ids: readonly string[]) => void;
}

const NO_IDS: ReadonlySet<string> = new Set();

/**
 * Writes records and settles them; one that the database refuses is found by halves and set aside, so that it stops no
 * other. Rejects where the database does not take them now; those that are still to be written are pending then.
 */
async function writeRecords(parts: RecordsParts, records: readonly PendingRecord[]): Promise<void> {
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
  settleRecords(parts, records, leftOut.known);
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
    await replaceRecord(parts, record.id, () => record);
    if (record.content === null) await parts.deleteContent(record.id);
  }
}

async function setAside(parts: RecordsParts, record: PendingRecord, error: unknown): Promise<void> {
  const { pending, journal, logger, announce } = parts;
  const reason = causeOf(error);
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
      reason: causeOf(failure),
    });
    // Not settled in its segment, it is there for the next start.
    record.segment = null;
  }
  record.settled?.reject(error);
  settleRecords(parts, [record], NO_IDS);
  announce([record.id]);
}

/** `known`: the ids that were there before. */
function settleRecords(
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

/** Records that came when retention had dropped their day, and are left out: what they cost has been counted. */
interface LateRecords {
  /** Notes those of a batch. Logs the first. */
  note(records: readonly PendingRecord[], late: ReadonlySet<string>): void;
  count(): number;
}

function createLateRecords(logger: Logger | undefined): LateRecords {
  let noted = 0;
  return {
    note(records, late) {
      if (late.size > 0 && noted === 0) {
        const days = new Set(records.flatMap(({ id, day }) => (late.has(id) ? [day] : [])));
        logger?.warn('Generations came again whose day retention has dropped; they are not stored or counted', {
          generations: late.size,
          days: [...days],
        });
      }
      noted += late.size;
    },
    count: () => noted,
  };
}
