import { type GenerationRecord, type Logger, type StoredContent, toContentJson, toPreview } from '@model-gateway/core';

import { causeOf } from './batch-error.ts';
import { dayOfGeneration } from './day-of-generation.ts';

/** A record that is not in the database yet, in memory. */
export interface PendingRecord {
  readonly id: string;
  readonly day: string;
  record: GenerationRecord;
  /** The record as JSON. */
  text: string;
  content: PendingContent | null;
  /** About how much memory it takes. */
  readonly bytes: number;
  /** The journal's segment that has it; null where the journal has it not, or there is none. */
  segment: number | null;
  state: 'queued' | 'writing';
  /** A batch with it has failed, perhaps after its commit. */
  wasTried: boolean;
  /** It was changed here after a batch with it had failed. */
  isChanged: boolean;
  /** Set where a caller waits for what becomes of it. */
  settled: Settled | null;
}

interface PendingContent {
  /** As JSON, in the stored form. */
  readonly text: string;
  readonly preview: string | null;
}

/** Resolves with false when its id was there before. */
interface Settled {
  readonly promise: Promise<boolean>;
  readonly resolve: (isNew: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Throws for what JSON cannot hold, and a `LostTextError` for a long text that cannot be read again. */
export function toPendingRecord(record: GenerationRecord, content: StoredContent | null): PendingRecord {
  const stored = content === null ? null : { text: toText(content), preview: toPreview(content) };
  return createPendingRecord(record, JSON.stringify(record), stored);
}

/** The text of a content whose members that repeat are named; `fromStoredForm` reads it. */
function toText(content: StoredContent): string {
  const json = toContentJson(content);
  return typeof json === 'string' ? json : [...json].join('');
}

/** Reads what the journal has. Throws for a text that is no record. */
export function readPendingRecord(text: string, content: string | null): PendingRecord {
  const record = JSON.parse(text) as GenerationRecord;
  const stored = content === null ? null : { text: content, preview: toPreview(JSON.parse(content) as StoredContent) };
  return createPendingRecord(record, text, stored);
}

function createPendingRecord(record: GenerationRecord, text: string, content: PendingContent | null): PendingRecord {
  return {
    id: record.generation.id,
    day: dayOfGeneration(record),
    record,
    text,
    content,
    bytes: RECORD_OVERHEAD_BYTES + 2 * text.length + (content?.text.length ?? 0),
    segment: null,
    state: 'queued',
    wasTried: false,
    isChanged: false,
    settled: null,
  };
}

/** Objects and promises around the texts. */
const RECORD_OVERHEAD_BYTES = 1000;

/** What becomes of a record. No caller waits for most of them, and those have no promise. */
export function settledOf(record: PendingRecord): Promise<boolean> {
  record.settled ??= createSettled();
  return record.settled.promise;
}

function createSettled(): Settled {
  let resolve: Settled['resolve'] = () => undefined;
  let reject: Settled['reject'] = () => undefined;
  const promise = new Promise<boolean>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // The caller that waits may have given up.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** The records in memory that are not in the database yet, in the order in which they came. */
export interface PendingRecords {
  readonly size: number;
  /** Records that no batch has at present. */
  readonly queued: number;
  readonly bytes: number;
  /** Whether this process has appended the id, now or not long ago. */
  isKnown(id: string): boolean;
  /** Makes an id known before its record is pending. */
  know(id: string): void;
  forget(id: string): void;
  find(id: string): PendingRecord | undefined;
  add(record: PendingRecord): void;
  /** The next batch, which is then being written. */
  take(limits: BatchLimits): readonly PendingRecord[];
  /** Puts what is still pending of a batch that failed before all others. */
  putBack(batch: readonly PendingRecord[]): void;
  remove(record: PendingRecord): void;
  /** The number of the record that was added last. */
  last(): number;
  /** Whether no record is pending up to the one with this number. */
  isSettled(upTo: number): boolean;
  all(): Iterable<PendingRecord>;
}

export interface BatchLimits {
  readonly records: number;
  readonly bytes: number;
}

/** How many of the first records a batch takes: one at least. */
export function countWithin(records: readonly PendingRecord[], limits: BatchLimits): number {
  let count = 0;
  let bytes = 0;
  while (count < records.length && count < limits.records && (count === 0 || bytes < limits.bytes)) {
    bytes += records[count]?.bytes ?? 0;
    count += 1;
  }
  return count;
}

/** Ids that are remembered after their records have been written, at least. */
const REMEMBERED_IDS = 20_000;

export function createPendingRecords(): PendingRecords {
  const pending = new Map<string, { readonly record: PendingRecord; readonly number: number }>();
  let queue: PendingRecord[] = [];
  let bytes = 0;
  let added = 0;
  // Two sets, of which the older is dropped as a whole: removing single ids would cost more.
  let recent = new Set<string>();
  let older = new Set<string>();
  return {
    get size() {
      return pending.size;
    },
    get queued() {
      return queue.length;
    },
    get bytes() {
      return bytes;
    },
    isKnown: (id) => pending.has(id) || recent.has(id) || older.has(id),
    know(id) {
      if (recent.size >= REMEMBERED_IDS) [older, recent] = [recent, new Set()];
      recent.add(id);
    },
    forget(id) {
      recent.delete(id);
      older.delete(id);
    },
    find: (id) => pending.get(id)?.record,
    add(record) {
      added += 1;
      bytes += record.bytes;
      pending.set(record.id, { record, number: added });
      queue.push(record);
    },
    take(limits) {
      const batch = queue.splice(0, countWithin(queue, limits));
      for (const record of batch) record.state = 'writing';
      return batch;
    },
    putBack(batch) {
      const left = batch.filter(({ id }) => pending.has(id));
      for (const record of left) Object.assign(record, { state: 'queued', wasTried: true });
      queue = [...left, ...queue];
    },
    remove(record) {
      if (pending.delete(record.id)) bytes -= record.bytes;
    },
    last: () => added,
    isSettled(upTo) {
      for (const { number } of pending.values()) return number > upTo;
      return true;
    },
    *all() {
      for (const { record } of pending.values()) yield record;
    },
  };
}

/** How soon and how much is written, by what became of the batches before. */
export interface WritePace {
  /** Above 0 while the database does not take batches: how long to wait for the next one. */
  readonly retryMs: number;
  /** After a failure batches are smaller, so that a slow network takes one in time. */
  readonly limits: BatchLimits;
  succeed(): void;
  /** Says the first failure of a row, with these fields. */
  fail(error: unknown, fields?: Readonly<Record<string, unknown>>): void;
  /** Forgets that the database was away. */
  resume(): void;
}

interface PaceMessages {
  readonly failed: string;
  readonly recovered: string;
}

/** More at once cost the server more for each, as its memory for a statement is small. */
const MAX_BATCH_RECORDS = 500;
const MIN_BATCH_RECORDS = 10;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 1000;

export function createWritePace(logger: Logger | undefined, { failed, recovered }: PaceMessages): WritePace {
  let retryMs = 0;
  let records = MAX_BATCH_RECORDS;
  return {
    get retryMs() {
      return retryMs;
    },
    get limits() {
      return { records, bytes: MAX_BATCH_BYTES };
    },
    succeed() {
      if (retryMs > 0) logger?.info(recovered);
      retryMs = 0;
      records = Math.min(records * 2, MAX_BATCH_RECORDS);
    },
    fail(error, fields) {
      if (retryMs === 0) logger?.warn(failed, { reason: causeOf(error), ...fields });
      retryMs = Math.min(Math.max(retryMs * 2, FIRST_RETRY_MS), LONGEST_RETRY_MS);
      records = Math.max(MIN_BATCH_RECORDS, Math.floor(records / 2));
    },
    resume() {
      retryMs = 0;
    },
  };
}
