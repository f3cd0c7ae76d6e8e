import { GatewayError, type Logger, type RecordJournal } from '@model-gateway/core';

import { type BacklogWriter, createBacklogWriter } from './backlog-writer.ts';
import { type ConditionWaits, createConditionWaits } from './condition-waits.ts';
import { createLateRecords } from './late-records.ts';
import type { PendingRecord } from './pending-record.ts';
import { createPendingRecords, type PendingRecords } from './pending-records.ts';
import type { WriteParts } from './write-batch.ts';
import { createWritePace, type WritePace } from './write-pace.ts';
import { writeRecords } from './write-records.ts';

export interface BatchWriterOptions extends WriteParts {
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
  /** Adds a record. `isUrgent`: somebody waits for it. */
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
export interface Unwritten {
  readonly inJournal: number;
  readonly inMemoryAlone: number;
}

/** Batches of what is in memory. */
const MAX_AT_ONCE = 2;
/** With more records waiting than this, a second batch is written beside the first. */
const MANY = 500;
const GATHER_MS = 50;
/** When somebody waits, only what arrives at the same time is gathered. */
const GATHER_URGENT_MS = 1;
const FLUSH_LIMIT_MS = 2500;
const FLUSH_LIMIT_WHEN_DOWN_MS = 500;
const CLOSE_LIMIT_MS = 5000;
const MESSAGES = {
  failed: 'The database does not take generations; they wait, and are written when it does',
  recovered: 'The database takes generations again',
};

interface State {
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
  const state: State = {
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

function wakeIn(state: State, gatherMs: number): void {
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
    look(state);
  }, delayMs);
}

/** Begins whatever can be begun now. */
function look(state: State): void {
  const { pending, pace } = state;
  const isAllowed = (): boolean =>
    state.active === 0 || (state.active < MAX_AT_ONCE && pending.queued >= MANY && pace.retryMs === 0);
  while (!state.isClosed && pending.queued > 0 && isAllowed()) void writeNext(state);
}

async function writeNext(state: State): Promise<void> {
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
  if (pending.queued > 0) wakeIn(state, pending.queued >= MANY ? 0 : GATHER_MS);
  state.waits.endStep();
}
