import type { PendingRecord } from './pending-record.ts';

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
const REMEMBERED = 20_000;

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
      if (recent.size >= REMEMBERED) [older, recent] = [recent, new Set()];
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
