import { atEndOfTurn } from '../../node-timers.ts';
import type { ContentReference } from './generation-lines.ts';
import { openSegments, type OpenSegments, type OpenSegmentsOptions } from './open-segments.ts';
import { createLineBuffer, type LineBuffer } from './record-line.ts';
import { type Segment, type SegmentStart, writeSegment } from './segment.ts';

/** With so many bytes a write begins: many long contents that come together would fill the memory twice. */
const FULL_WRITE_BYTES = 2 * 1024 * 1024;

/**
 * Operations that are written together, with one write to each file where they are not too long for it: all of a write
 * or none.
 */
export interface Batch<Operation> {
  readonly segment: Segment;
  readonly waiting: Waiting<Operation>[];
}

/** An operation, and the callbacks for its result. */
interface Waiting<Operation> {
  readonly operation: Operation;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface BatchLines {
  readonly segment: Segment;
  readonly metadata: LineBuffer;
  readonly content: LineBuffer;
}

export interface JournalOptions<Operation> extends OpenSegmentsOptions {
  /**
   * Adds the lines of an operation to its batch, right before the batch is written: many in a row take half the time of
   * encoding each on its own. An operation for which it throws is refused alone; so it throws before it adds any.
   */
  readonly encode: (operation: Operation, lines: BatchLines) => void;
  /** Called in the order of writing, before the promises resolve. Must not throw. */
  readonly commit: (operation: Operation) => void;
}

/**
 * An append-only log in pairs of files, with group commit: operations that arrive during a write are gathered, and
 * written next with one write to each file. Sets no timer and opens no file for a single record.
 */
export interface Journal<Operation> {
  /** The segment that is written to. */
  readonly active: Segment;
  /** The oldest segment that may still be written to. */
  readonly oldest: Segment;
  /** The batch that is being gathered. Add to it in this turn: the next may write it. Throws when closed. */
  batch(): Batch<Operation>;
  /** Begins a new segment if the present one is over or full; every batch does so as well. */
  rollIfDue(): void;
  /** Syncs everything written so far. */
  sync(): Promise<void>;
  /** Writes and syncs what is pending and closes the files. Rejects when something may not be durable. */
  close(): Promise<void>;
}

interface State<Operation> {
  readonly options: JournalOptions<Operation>;
  readonly segments: OpenSegments;
  /** The lines of the batch that is being written, for each file. */
  readonly metadata: LineBuffer;
  readonly content: LineBuffer;
  gathering: Batch<Operation> | null;
  drained: Promise<void>;
  isDraining: boolean;
  isClosed: boolean;
}

/** Opens a journal for writing at the given segment. The caller closes it (docs/decisions/0003, 0017, 0021). */
export async function openJournal<Operation>(
  start: SegmentStart,
  options: JournalOptions<Operation>,
): Promise<Journal<Operation>> {
  const segments = await openSegments(start, options);
  const state: State<Operation> = {
    options,
    segments,
    metadata: createLineBuffer(),
    content: createLineBuffer(),
    gathering: null,
    drained: Promise.resolve(),
    isDraining: false,
    isClosed: false,
  };
  return {
    get active() {
      return segments.active;
    },
    get oldest() {
      return segments.oldest;
    },
    batch: () => state.gathering ?? beginBatch(state),
    rollIfDue: () => segments.rollIfDue(),
    sync: () => segments.sync(),
    async close() {
      state.isClosed = true;
      await state.drained;
      await segments.close();
    },
  };
}

/** Adds an operation to the batch. Resolves when the batch is written, at least to the system's cache. */
export function addOperation<Operation>({ segment, waiting }: Batch<Operation>, operation: Operation): Promise<void> {
  segment.lines += 1;
  return new Promise((resolve, reject) => {
    waiting.push({ operation, resolve, reject });
  });
}

/** Adds a content line, in the pieces that a line buffer takes, and returns its place in the file. */
export function putContent(
  { segment, content }: BatchLines,
  recordJson: string,
  more?: string,
  end?: string,
): ContentReference {
  const offset = segment.content.end + content.length;
  const lineBytes = content.add(recordJson, more, end);
  return { file: segment.contentFile, offset, length: lineBytes - 1 };
}

function beginBatch<Operation>(state: State<Operation>): Batch<Operation> {
  if (state.isClosed) throw new Error('The store is closed');
  state.segments.rollIfDue();
  const batch: Batch<Operation> = { segment: state.segments.active, waiting: [] };
  batch.segment.openBatches += 1;
  state.gathering = batch;
  if (!state.isDraining) {
    state.isDraining = true;
    // Requests that end in the same turn share the write.
    state.drained = new Promise((resolve) => atEndOfTurn(() => resolve(drain(state))));
  }
  return batch;
}

async function drain<Operation>(state: State<Operation>): Promise<void> {
  const { segments } = state;
  while (state.gathering !== null) {
    const batch = state.gathering;
    state.gathering = null;
    for (let next = 0; next < batch.waiting.length;) next = await writeSome(state, batch, next);
    segments.release(batch.segment);
  }
  state.isDraining = false;
}

/** Writes the operations of a batch from `first` on, as many as one write takes. Returns the place of the next. */
async function writeSome<Operation>(state: State<Operation>, batch: Batch<Operation>, first: number): Promise<number> {
  const { options, segments, metadata, content } = state;
  let next = batch.waiting.length;
  let written = first === 0 ? batch.waiting : batch.waiting.slice(first);
  try {
    await segments.repair();
    ({ written, next } = encode(state, batch, first));
    await writeSegment(options.files, batch.segment, state);
    for (const { operation } of written) options.commit(operation);
    for (const { resolve } of written) resolve();
    segments.scheduleSync();
  } catch (error) {
    for (const { reject } of written) reject(error);
  }
  metadata.clear();
  content.clear();
  return next;
}

/**
 * Adds the lines of operations to the buffers until they are full. Returns the operations, without those refused as not
 * encodable, and the place of the next.
 */
function encode<Operation>(
  { options, metadata, content }: State<Operation>,
  { segment, waiting }: Batch<Operation>,
  first: number,
): { readonly written: Waiting<Operation>[]; readonly next: number } {
  const lines: BatchLines = { segment, metadata, content };
  const written: Waiting<Operation>[] = [];
  let next = first;
  for (; next < waiting.length && metadata.length + content.length < FULL_WRITE_BYTES; next += 1) {
    const each = waiting[next] as Waiting<Operation>;
    try {
      options.encode(each.operation, lines);
      written.push(each);
    } catch (error) {
      each.reject(error);
    }
  }
  return { written, next };
}
