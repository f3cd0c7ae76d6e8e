import type { ContentReference } from './generation-lines.ts';
import { openSegments, type OpenSegments, type OpenSegmentsOptions } from './open-segments.ts';
import { createLineBuffer, type LineBuffer } from './record-line.ts';
import { type Segment, type SegmentStart, writeSegment } from './segment.ts';

/** Lines that go to the files in one write each, and what they mean. They are written together or not at all. */
export interface Batch<Operation> {
  readonly segment: Segment;
  readonly metadata: LineBuffer;
  readonly content: LineBuffer;
  /** Where the batch will begin in the content file. */
  readonly contentStart: number;
  readonly operations: Operation[];
  /** One promise for all who wait for this batch. */
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** What a journal tells its owner; neither may throw. */
export interface JournalOptions<Operation> extends OpenSegmentsOptions {
  /** Called in the order of writing, before the promise resolves. */
  readonly commit: (operations: readonly Operation[]) => void;
  /** Called for what could not be written, before the promise rejects. */
  readonly discard: (operations: readonly Operation[]) => void;
}

/**
 * An append-only log in pairs of files with group commit: while one write is under way, what arrives is gathered, and
 * goes out together as one write per file. No timer, file opening or promise per record.
 */
export interface Journal<Operation> {
  /** The segment that is written to. */
  readonly active: Segment;
  /** The oldest segment that something may still be written to. */
  readonly oldest: Segment;
  /** The batch that is being gathered. Add to it at once: it may be written in the next turn. Throws when closed. */
  batch(): Batch<Operation>;
  /** Begins a new segment if the present one is over or full; with every batch that is looked at anyway. */
  rollIfDue(): void;
  /** Brings everything written so far to the disk itself. */
  sync(): Promise<void>;
  /** Writes and syncs what is pending and closes the files. Rejects when something may not have become durable. */
  close(): Promise<void>;
}

interface State<Operation> {
  readonly options: JournalOptions<Operation>;
  readonly segments: OpenSegments;
  /** Two are in use at most: one batch is written while one is gathered. */
  readonly spareBuffers: { readonly metadata: LineBuffer; readonly content: LineBuffer }[];
  gathering: Batch<Operation> | null;
  inFlight: Batch<Operation> | null;
  drained: Promise<void>;
  isDraining: boolean;
  isClosed: boolean;
}

/** Opens a journal for writing at the given segment. The caller closes it. */
export async function openJournal<Operation>(
  start: SegmentStart,
  options: JournalOptions<Operation>,
): Promise<Journal<Operation>> {
  const segments = await openSegments(start, options);
  const state: State<Operation> = {
    options,
    segments,
    spareBuffers: [],
    gathering: null,
    inFlight: null,
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

/** Adds a content line, in pieces as a line buffer takes them, to the batch and tells where it will stand. */
export function addContent<Operation>(
  batch: Batch<Operation>,
  recordJson: string,
  more?: string,
  end?: string,
): ContentReference {
  const offset = batch.contentStart + batch.content.length;
  const lineBytes = batch.content.add(recordJson, more, end);
  return { file: batch.segment.contentFile, offset, length: lineBytes - 1 };
}

/**
 * Adds a metadata line, in pieces as a line buffer takes them, and its meaning to the batch. Resolves when the batch is
 * with the operating system.
 */
export function addMetadata<Operation>(
  batch: Batch<Operation>,
  operation: Operation,
  recordJson: string,
  more?: string,
  end?: string,
): Promise<void> {
  batch.metadata.add(recordJson, more, end);
  batch.operations.push(operation);
  batch.segment.lines += 1;
  return batch.done;
}

function beginBatch<Operation>(state: State<Operation>): Batch<Operation> {
  if (state.isClosed) throw new Error('The store is closed');
  state.segments.rollIfDue();
  const segment = state.segments.active;
  const before = state.inFlight?.segment === segment ? state.inFlight.content.length : 0;
  const batch: Batch<Operation> = {
    ...(state.spareBuffers.pop() ?? { metadata: createLineBuffer(), content: createLineBuffer() }),
    ...createSettler(),
    segment,
    contentStart: segment.content.end + before,
    operations: [],
  };
  segment.openBatches += 1;
  state.gathering = batch;
  if (!state.isDraining) {
    state.isDraining = true;
    // At the end of this turn, so that requests that end in the same turn share the write.
    state.drained = new Promise((resolve) => setImmediate(() => resolve(drain(state))));
  }
  return batch;
}

function createSettler(): Pick<Batch<unknown>, 'done' | 'resolve' | 'reject'> {
  let resolve = (): void => undefined;
  let reject = (_error: unknown): void => undefined;
  const done = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // Shared by many: whoever waits for it learns of the failure, and nobody else has to.
  done.catch(() => undefined);
  return { done, resolve, reject };
}

async function drain<Operation>(state: State<Operation>): Promise<void> {
  while (state.gathering !== null) {
    const batch = state.gathering;
    state.gathering = null;
    state.inFlight = batch;
    try {
      await state.segments.repair();
      await writeSegment(state.options.files, batch.segment, batch);
    } catch (error) {
      state.inFlight = null;
      // What was gathered meanwhile counts on the positions of what has failed.
      const next = takeGathering(state);
      fail(state, batch, error);
      if (next !== null) fail(state, next, error);
      continue;
    }
    state.inFlight = null;
    state.options.commit(batch.operations);
    batch.resolve();
    state.segments.scheduleSync();
    release(state, batch);
  }
  state.isDraining = false;
}

function takeGathering<Operation>(state: State<Operation>): Batch<Operation> | null {
  const batch = state.gathering;
  state.gathering = null;
  return batch;
}

function fail<Operation>(state: State<Operation>, batch: Batch<Operation>, error: unknown): void {
  state.options.discard(batch.operations);
  batch.reject(error);
  release(state, batch);
}

function release<Operation>(state: State<Operation>, batch: Batch<Operation>): void {
  batch.metadata.clear();
  batch.content.clear();
  state.spareBuffers.push({ metadata: batch.metadata, content: batch.content });
  state.segments.release(batch.segment);
}
