import { GatewayError, type Logger, type RecordJournal } from '@model-gateway/core';

import { type Backlog, createBacklog } from './backlog.ts';
import { isMissingDay, isRefusal, messageOf } from './batch-error.ts';
import { createLateRecords, type LateRecords } from './late-records.ts';
import type { PendingRecord } from './pending-record.ts';
import { createPendingRecords, type PendingRecords } from './pending-records.ts';
import { type LeftOut, replaceRecord, writeBatch, type WriteParts } from './write-batch.ts';

export interface BatchWriterOptions extends WriteParts {
  readonly journal: RecordJournal | undefined;
  readonly logger: Logger | undefined;
  /** Removes the content of a generation that is in the database. */
  readonly deleteContent: (id: string) => Promise<boolean>;
}

/** Brings records to the database in batches, at most two at a time, and again until it takes them. */
export interface BatchWriter {
  readonly pending: PendingRecords;
  /** Records in the journal alone. */
  readonly backlog: Backlog | undefined;
  /** Adds a record. `isUrgent`: somebody waits for it. */
  add(record: PendingRecord, isUrgent: boolean): void;
  /** Begins with what waits, as the database is there. */
  wake(): void;
  /** Resolves when all that is pending now is in the database; rejects with a 503 where that takes too long. */
  flush(): Promise<void>;
  /** Resolves when the backlog is empty, or after the time. */
  emptyBacklog(limitMs: number): Promise<void>;
  onCounted(listener: (ids: readonly string[]) => void): () => void;
  /** Says of a record that will never be in the database that nothing waits for it. */
  giveUp(id: string): void;
  /** How many came whose day retention has dropped. */
  countLate(): number;
  /** Writes what can be written soon. Resolves with the number of records that are still pending. */
  close(): Promise<number>;
}

const MAX_RECORDS = 2000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_AT_ONCE = 2;
/** With more records waiting than this, a second batch is written beside the first. */
const MANY = 500;
const GATHER_MS = 50;
/** When somebody waits, only what arrives at the same time is gathered. */
const GATHER_URGENT_MS = 1;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 1000;
const FLUSH_LIMIT_MS = 2500;
const FLUSH_LIMIT_WHEN_DOWN_MS = 500;
const CLOSE_LIMIT_MS = 5000;

interface State {
  readonly options: BatchWriterOptions;
  readonly pending: PendingRecords;
  readonly backlog: Backlog | undefined;
  readonly listeners: Set<(ids: readonly string[]) => void>;
  readonly onStep: Set<() => void>;
  timer: NodeJS.Timeout | undefined;
  /** When the timer fires, by the monotonic clock. */
  dueAt: number;
  active: number;
  isBacklogActive: boolean;
  /** Above 0 while the database does not take batches. */
  retryMs: number;
  /** After a failure batches are smaller, so that a slow network takes one in time. */
  batchRecords: number;
  isClosed: boolean;
  readonly late: LateRecords;
}

export function createBatchWriter(options: BatchWriterOptions): BatchWriter {
  const { journal, logger } = options;
  const state: State = {
    options,
    pending: createPendingRecords(),
    backlog: journal === undefined ? undefined : createBacklog(journal, logger),
    listeners: new Set(),
    onStep: new Set(),
    timer: undefined,
    dueAt: 0,
    active: 0,
    isBacklogActive: false,
    retryMs: 0,
    batchRecords: MAX_RECORDS,
    isClosed: false,
    late: createLateRecords(logger),
  };
  const { pending } = state;
  return {
    pending,
    backlog: state.backlog,
    add(record, isUrgent) {
      pending.add(record);
      // It is due within that time already.
      if (!isUrgent && state.timer !== undefined) return;
      wakeIn(state, isUrgent ? GATHER_URGENT_MS : GATHER_MS);
    },
    wake() {
      state.retryMs = 0;
      wakeIn(state, 0);
    },
    async flush() {
      if (pending.size === 0) return;
      const upTo = pending.last();
      wakeIn(state, 0);
      const limitMs = state.retryMs === 0 ? FLUSH_LIMIT_MS : FLUSH_LIMIT_WHEN_DOWN_MS;
      if (await waitUntil(state, limitMs, () => pending.isSettled(upTo))) return;
      throw new GatewayError('provider_overloaded', 'The database of the gateway is not available; try again shortly', {
        retryAfterSeconds: 1,
      });
    },
    async emptyBacklog(limitMs) {
      await waitUntil(state, limitMs, () => state.backlog?.isEmpty !== false);
    },
    onCounted(listener) {
      state.listeners.add(listener);
      return () => void state.listeners.delete(listener);
    },
    giveUp: (id) => announce(state, [id]),
    countLate: state.late.count,
    async close() {
      wakeIn(state, 0);
      const limitMs = state.retryMs === 0 ? CLOSE_LIMIT_MS : FLUSH_LIMIT_WHEN_DOWN_MS;
      await waitUntil(state, limitMs, () => pending.size === 0 && state.backlog?.isEmpty !== false);
      state.isClosed = true;
      clearTimeout(state.timer);
      await waitUntil(state, CLOSE_LIMIT_MS, () => state.active === 0 && !state.isBacklogActive);
      return pending.size;
    },
  };
}

/** True as soon as the condition holds after a step, false after the time. */
function waitUntil(state: State, limitMs: number, isMet: () => boolean): Promise<boolean> {
  if (isMet()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const end = (result: boolean): void => {
      clearTimeout(timer);
      state.onStep.delete(look);
      resolve(result);
    };
    const look = (): void => {
      if (isMet()) end(true);
    };
    const timer = setTimeout(() => end(false), limitMs);
    state.onStep.add(look);
  });
}

function wakeIn(state: State, gatherMs: number): void {
  if (state.isClosed) return;
  const delayMs = Math.max(gatherMs, state.retryMs);
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
  const { pending, backlog } = state;
  const isAllowed = (): boolean =>
    state.active === 0 || (state.active < MAX_AT_ONCE && pending.queued >= MANY && state.retryMs === 0);
  while (!state.isClosed && pending.queued > 0 && isAllowed()) void writeNext(state);
  const isBacklogDue = backlog?.isEmpty === false && !state.isBacklogActive && state.active < MAX_AT_ONCE;
  if (isBacklogDue && !state.isClosed) void writeBacklog(state, backlog);
}

async function writeNext(state: State): Promise<void> {
  const batch = state.pending.take({ records: state.batchRecords, bytes: MAX_BYTES });
  state.active += 1;
  try {
    await writeOrSplit(state, batch);
    succeed(state);
  } catch (error) {
    state.pending.putBack(batch);
    fail(state, error);
  }
  state.active -= 1;
  if (state.pending.queued > 0) wakeIn(state, state.pending.queued >= MANY ? 0 : GATHER_MS);
  endStep(state);
}

async function writeBacklog(state: State, backlog: Backlog): Promise<void> {
  state.isBacklogActive = true;
  try {
    await backlog.writeNext((records) => writeOrSplit(state, records));
    succeed(state);
  } catch (error) {
    fail(state, error);
  }
  state.isBacklogActive = false;
  if (!backlog.isEmpty) wakeIn(state, 0);
  endStep(state);
}

function endStep(state: State): void {
  for (const listener of state.onStep) listener();
}

function succeed(state: State): void {
  if (state.retryMs > 0) state.options.logger?.info('The database takes generations again');
  state.retryMs = 0;
  state.batchRecords = Math.min(state.batchRecords * 2, MAX_RECORDS);
}

function fail(state: State, error: unknown): void {
  if (isMissingDay(error)) state.options.days.forget();
  if (state.retryMs === 0) {
    state.options.logger?.warn('The database does not take generations; they wait, and are written when it does', {
      reason: messageOf(error),
      waiting: state.pending.size,
    });
  }
  state.retryMs = Math.min(Math.max(state.retryMs * 2, FIRST_RETRY_MS), LONGEST_RETRY_MS);
  state.batchRecords = Math.max(10, Math.floor(state.batchRecords / 2));
}

/** Writes records; one that the database refuses is found by halves and set aside, so that it stops no other. */
async function writeOrSplit(state: State, records: readonly PendingRecord[]): Promise<void> {
  if (records.length === 0) return;
  let leftOut: LeftOut;
  try {
    leftOut = await writeBatch(state.options, records);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const [only] = records;
    if (records.length === 1 && only !== undefined) return setAside(state, only, error);
    const half = Math.ceil(records.length / 2);
    await writeOrSplit(state, records.slice(0, half));
    await writeOrSplit(state, records.slice(half));
    return;
  }
  const { known, late } = leftOut;
  state.late.note(records, late);
  for (const record of records) if (record.isChanged && known.has(record.id)) await writeChange(state, record);
  settle(state, records, known);
  announce(
    state,
    records.map(({ id }) => id),
  );
}

/** The database has a version from a batch that had seemed to fail, and has since been changed here. */
async function writeChange(state: State, record: PendingRecord): Promise<void> {
  await replaceRecord(state.options, record);
  if (record.content === null) await state.options.deleteContent(record.id);
}

async function setAside(state: State, record: PendingRecord, error: unknown): Promise<void> {
  const { journal, logger } = state.options;
  const reason = messageOf(error);
  logger?.error('The database refuses a generation; it is set aside and counts for nothing', {
    id: record.id.slice(0, 200),
    reason,
  });
  await journal?.setAside({ id: record.id, record: record.text, content: record.content?.text ?? null }, reason);
  record.settled?.reject(error);
  settle(state, [record], NONE);
  announce(state, [record.id]);
}

const NONE: ReadonlySet<string> = new Set();

/** `known`: the ids that were there before. */
function settle(
  { pending, options: { journal } }: State,
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

function announce({ listeners }: State, ids: readonly string[]): void {
  for (const listener of listeners) listener(ids);
}
