import type { GenerationRecord, RunningCall } from './store.ts';

/** A generation as JSON texts, the form in which journal and database take it. */
export interface JournaledRecord {
  readonly id: string;
  readonly record: string;
  readonly content: string | null;
}

/** A change of a record that is in the journal only. */
export interface JournaledChange {
  readonly id: string;
  /** Replaces the record. */
  readonly record?: GenerationRecord | undefined;
  readonly isContentDeleted?: true | undefined;
}

/** A segment with records that are to be settled again. */
export interface JournaledSegment {
  readonly segment: number;
  readonly records: number;
}

/**
 * What was acknowledged and may not be in a database yet, on a disk of this machine: a store in a database asks for it.
 * In segments: one is over as soon as all its records are settled, and removed some time later.
 */
export interface RecordJournal {
  /** On the disk, in segments of which something is not settled. */
  readonly bytes: number;
  /** Segments that an earlier process has left, oldest first. Each counts as one record that is not settled. */
  readonly recovered: readonly number[];
  /** The calls that an earlier process has noted as under way. */
  readonly interrupted: readonly RunningCall[];
  /** Resolves with the segment once the record survives the death of this process. */
  append(record: JournaledRecord): Promise<number>;
  /** Changes a record that was appended, as durably. It is forgotten with `settleChange`. */
  change(change: JournaledChange): Promise<void>;
  settleChange(id: string): Promise<void>;
  /** Records of a segment are in the database, or will never be. */
  settle(segment: number, records: number): void;
  /** Makes unsettled again what was settled, as far as it is there: the database may have lost it. */
  recall(): readonly JournaledSegment[];
  /** Removes segments that were over before a time of the monotonic clock, in milliseconds. */
  release(beforeMs: number): void;
  /** Ends the segment if it is still written to. */
  end(segment: number): Promise<void>;
  /** Reads all records of an ended segment from the disk, with their changes, in pieces that fit in memory. */
  read(segment: number): AsyncIterable<readonly JournaledRecord[]>;
  /** Keeps a record for people to look at, that the database refuses. */
  setAside(record: JournaledRecord, reason: string): Promise<void>;
  /** As `GenerationRepository.noteRunning`. */
  noteRunning(calls: readonly RunningCall[]): Promise<void>;
  /** What is not settled stays for the next opening. A second call does nothing more than the first. */
  close(): Promise<void>;
}
