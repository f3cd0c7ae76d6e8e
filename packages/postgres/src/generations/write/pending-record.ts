import { type GenerationRecord, type StoredContent, toPreview } from '@model-gateway/core';

import { dayOfGeneration } from '../day-of-generation.ts';

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
  /** Where somebody waits for what becomes of it. */
  settled: Settled | null;
}

export interface PendingContent {
  /** As JSON. */
  readonly text: string;
  readonly preview: string | null;
}

/** Resolves with false when its id was there before. */
interface Settled {
  readonly promise: Promise<boolean>;
  readonly resolve: (isNew: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Throws for what JSON cannot hold. */
export function toPendingRecord(record: GenerationRecord, content: StoredContent | null): PendingRecord {
  const stored = content === null ? null : { text: JSON.stringify(content), preview: toPreview(content) };
  return createPendingRecord(record, JSON.stringify(record), stored);
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
    bytes: OVERHEAD_BYTES + 2 * text.length + (content?.text.length ?? 0),
    segment: null,
    state: 'queued',
    wasTried: false,
    isChanged: false,
    settled: null,
  };
}

/** Objects and promises around the texts. */
const OVERHEAD_BYTES = 1000;

/** What becomes of a record. Most are waited for by nobody, and have no promise of it. */
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
  // Whoever waits may have given up.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
