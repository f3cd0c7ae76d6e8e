import { join } from 'node:path';

import { createTurns, type InTurn, type JournaledSegment, type Logger } from '@model-gateway/core';

import { removeIfThere, syncDirectory } from '../files/atomic-file.ts';
import { errorReason, type FileSystem, OPEN } from '../files/file-system.ts';
import { type AppendFile, cutOff, moveEnd, openAppendFile, syncFile, writeAtEnd } from '../journal/append-file.ts';
import type { LineBuffer } from '../journal/record-line.ts';

export interface RecordSegmentsOptions {
  readonly files: FileSystem;
  readonly logsPath: string;
  readonly logger: Logger | undefined;
  /** Calls back once; must not keep the process alive. Returns what cancels it. */
  readonly setTimer: (callback: () => void, delayMs: number) => () => void;
  /** A segment that has reached this is followed by another. */
  readonly segmentBytes: number;
  /** Of segments that are over, before the oldest are removed. */
  readonly heldBytes: number;
}

/** The files of a record journal. One is written to; each is over when nothing in it is unsettled. */
export interface RecordSegments {
  readonly bytes: number;
  /** Segments that were there at the opening and are not settled yet, oldest first. */
  readonly recovered: readonly number[];
  /** Writes lines after each other; the number of the segment that has them. One call at a time. */
  write(lines: LineBuffer, records: number): Promise<number>;
  /** Ends a segment. Not while something is being written. */
  end(segment: number): Promise<void>;
  settle(segment: number, records: number): void;
  /** As `RecordJournal.recall`. */
  recall(): readonly JournaledSegment[];
  /** As `RecordJournal.release`. */
  release(beforeMs: number): void;
  pathOf(segment: number): string;
  close(): Promise<void>;
}

interface Segment {
  readonly number: number;
  readonly path: string;
  /** Open for writing, or until its last bytes are synced. */
  file: AppendFile | null;
  bytes: number;
  unsettled: number;
  settled: number;
  /** By the monotonic clock. */
  settledAt: number;
  isRecovered: boolean;
  isEnded: boolean;
  /** Its name is not durable yet. */
  isNew: boolean;
}

interface State {
  readonly options: RecordSegmentsOptions;
  readonly segments: Map<number, Segment>;
  active: Segment | null;
  lastNumber: number;
  /** Syncs and removals run one after the other. */
  readonly inTurn: InTurn;
  cancelSync: (() => void) | null;
}

const NAME = /^records-(\d+)\.ndjson$/;
// An acknowledged record is synced within a second; the sync itself takes a part of it.
const SYNC_INTERVAL_MS = 900;
/** A smaller segment is written to again after all its records are settled. */
const WORTH_REMOVING_BYTES = 1024 * 1024;

/** Finds the segments of earlier processes. The directory exists and belongs to this process. */
export async function openRecordSegments(options: RecordSegmentsOptions): Promise<RecordSegments> {
  const { files, logsPath } = options;
  const state: State = {
    options,
    segments: new Map(),
    active: null,
    lastNumber: 0,
    inTurn: createTurns(),
    cancelSync: null,
  };
  const numbers = (await files.list(logsPath)).flatMap((name) => {
    const [, number] = NAME.exec(name) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const path = toPath(state, number);
    const found = {
      number,
      path,
      file: null,
      bytes: await sizeOf(files, path),
      unsettled: 1,
      settled: 0,
      settledAt: 0,
    };
    state.segments.set(number, { ...found, isRecovered: true, isEnded: true, isNew: false });
    state.lastNumber = number;
  }
  return {
    get bytes() {
      let bytes = 0;
      for (const segment of state.segments.values()) if (segment.unsettled > 0) bytes += segment.bytes;
      return bytes;
    },
    get recovered() {
      return [...state.segments.values()]
        .filter((segment) => segment.isRecovered && !isOver(segment))
        .map(({ number }) => number);
    },
    write: (lines, records) => write(state, lines, records),
    async end(number) {
      const segment = state.segments.get(number);
      if (segment === undefined || segment !== state.active) return;
      endActive(state, segment);
    },
    settle(number, records) {
      const segment = state.segments.get(number);
      if (segment === undefined) return;
      segment.unsettled -= records;
      segment.settled += records;
      segment.settledAt = performance.now();
      holdIfOver(state, segment);
    },
    recall() {
      const recalled = [...state.segments.values()].filter(({ settled }) => settled > 0);
      return recalled.map((segment) => {
        const { number, settled: records } = segment;
        segment.unsettled += records;
        segment.settled = 0;
        return { segment: number, records };
      });
    },
    release: (beforeMs) => removeOver(state, ({ settledAt }) => settledAt < beforeMs),
    pathOf: (number) => toPath(state, number),
    async close() {
      state.cancelSync?.();
      if (state.active !== null) endActive(state, state.active);
      removeOver(state, () => true);
      await state.inTurn(() => syncAll(state));
    },
  };
}

async function sizeOf(files: FileSystem, path: string): Promise<number> {
  const fd = await files.open(path, OPEN.read);
  try {
    return (await files.stat(fd)).size;
  } finally {
    await files.close(fd);
  }
}

const toPath = ({ options }: State, number: number): string =>
  join(options.logsPath, `records-${String(number).padStart(6, '0')}.ndjson`);

async function write(state: State, lines: LineBuffer, records: number): Promise<number> {
  const { files } = state.options;
  const segment = await chooseSegment(state);
  const { file } = segment;
  if (file === null) throw new Error('The journal is closed');
  // What an earlier sync has failed to bring to the disk comes first.
  if (file.hasFailedSync) await state.inTurn(() => syncAll(state));
  try {
    await writeAtEnd(files, file, lines.bytes, lines.length);
  } catch (error) {
    await cutOff(files, file);
    throw error;
  }
  moveEnd(file, lines.length);
  segment.bytes = file.end;
  segment.unsettled += records;
  scheduleSync(state);
  return segment.number;
}

async function chooseSegment(state: State): Promise<Segment> {
  const { active, options } = state;
  if (active !== null) {
    const isFull = active.bytes >= options.segmentBytes;
    if (!isFull && (active.unsettled > 0 || active.bytes < WORTH_REMOVING_BYTES)) return active;
  }
  const number = state.lastNumber + 1;
  const path = toPath(state, number);
  let file: AppendFile;
  try {
    file = await openAppendFile(options.files, path);
  } catch (error) {
    if (active === null) throw error;
    // The old file is used until a new one can be opened.
    options.logger?.error('No new journal file can be opened; the old one stays in use', {
      reason: errorReason(error),
    });
    return active;
  }
  const opened = { number, path, file, bytes: file.end, unsettled: 0, settled: 0, settledAt: 0 };
  const segment: Segment = { ...opened, isRecovered: false, isEnded: false, isNew: true };
  state.lastNumber = number;
  state.segments.set(number, segment);
  if (active !== null) endActive(state, active);
  state.active = segment;
  return segment;
}

function endActive(state: State, segment: Segment): void {
  segment.isEnded = true;
  state.active = null;
  holdIfOver(state, segment);
}

const isOver = ({ isEnded, unsettled }: Segment): boolean => isEnded && unsettled <= 0;

/** Holds a segment that is over, in the place of the oldest of them where there are too many. */
function holdIfOver(state: State, segment: Segment): void {
  if (!isOver(segment)) return;
  let bytes = 0;
  for (const held of [...state.segments.values()].filter(isOver).toSorted((a, b) => b.settledAt - a.settledAt)) {
    bytes += held.bytes;
    if (bytes > state.options.heldBytes) remove(state, held);
  }
}

function removeOver(state: State, isChosen: (segment: Segment) => boolean): void {
  for (const segment of [...state.segments.values()].filter(isOver)) if (isChosen(segment)) remove(state, segment);
}

function remove(state: State, segment: Segment): void {
  const { files, logger } = state.options;
  state.segments.delete(segment.number);
  state
    .inTurn(async () => {
      await closeFile(files, segment);
      await removeIfThere(files, segment.path);
    })
    .catch((error: unknown) => {
      logger?.warn('A journal file that is over could not be removed; the next start reads it again', {
        file: segment.path,
        reason: errorReason(error),
      });
    });
}

function scheduleSync(state: State): void {
  state.cancelSync ??= state.options.setTimer(() => {
    state.cancelSync = null;
    state
      .inTurn(() => syncAll(state))
      .catch((error: unknown) => {
        state.options.logger?.error('The disk refused to keep the journal; it is tried again with the next record', {
          reason: errorReason(error),
        });
      });
  }, SYNC_INTERVAL_MS);
}

/** Syncs everything, and closes what is not written to any more. */
async function syncAll({ options: { files, logsPath }, segments }: State): Promise<void> {
  const made = [...segments.values()].filter(({ isNew }) => isNew);
  try {
    if (made.length > 0) await syncDirectory(files, logsPath);
  } catch (error) {
    // While a name may be lost, the bytes count as not synced.
    for (const { file } of made) if (file !== null) file.hasFailedSync = true;
    throw error;
  }
  for (const segment of segments.values()) {
    segment.isNew = false;
    if (segment.file === null) continue;
    await syncFile(files, segment.file);
    if (segment.isEnded) await closeFile(files, segment);
  }
}

async function closeFile(files: FileSystem, segment: Segment): Promise<void> {
  const { file } = segment;
  segment.file = null;
  if (file !== null) await files.close(file.fd);
}
