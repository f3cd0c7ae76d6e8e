import { join } from 'node:path';

import {
  createTurns,
  type GenerationRecord,
  type JournaledChange,
  type JournaledRecord,
  type JournaledSegment,
  type Logger,
  type RecordJournal,
} from '@model-gateway/core';

import { setUnrefTimer } from '../node-timers.ts';
import { removeIfThere, sweepTemporaryFiles } from './files/atomic-file.ts';
import { prepareDataDirectory, toDirectoryError } from './files/directory.ts';
import { errorReason, type FileSystem, holdDirectory, nodeFileSystem, sizeOf } from './files/file-system.ts';
import { type DirectoryOwner, takeDirectory } from './files/ownership.ts';
import { openRunningLog, type RunningLog } from './generations/running-log.ts';
import { type AppendFile, appendLine, openAppendFile, syncFile } from './log/append-file.ts';
import { createLog, type Log } from './log/log.ts';
import { toLine } from './log/record-line.ts';
import { recoverLog } from './log/recover-log.ts';
import { openRowLog, type RowLogOptions } from './log/row-log.ts';
import { createSegments, type OpenSegments, type Segment } from './log/segments.ts';

export interface RecordJournalOptions {
  /** Created when missing, closed to other users. One process has it at a time. */
  readonly dir: string;
  readonly logger?: Logger | undefined;
  /** Milliseconds since the epoch. Default: the system clock. */
  readonly now?: (() => number) | undefined;
  /** As for the JSON-file store. */
  readonly lockOptional?: boolean | undefined;
  /** A file that has reached this is followed by another. Default: 8 MiB. */
  readonly segmentBytes?: number | undefined;
  /** Files whose records are in the database stay for some time, up to this. Default: 256 MiB. */
  readonly heldBytes?: number | undefined;
}

/** Parts of the machine that tests replace. */
export interface JournalHost {
  readonly files: FileSystem;
  /** Calls back once; must not keep the process alive. Returns what cancels it. */
  readonly setTimer: (callback: () => void, delayMs: number) => () => void;
}

const DEFAULT_SEGMENT_BYTES = 8 * 1024 * 1024;
const DEFAULT_HELD_BYTES = 256 * 1024 * 1024;
const PIECE_RECORDS = 500;
/** A smaller segment is written to again after all its records are settled. */
const WORTH_REMOVING_BYTES = 1024 * 1024;
const NAME = /^records-(\d+)\.ndjson$/;

/**
 * Opens the journal of a directory, in which records wait for a database. What it acknowledges survives the death of
 * this process at once, and that of the machine within a second. The caller closes it. Throws `DirectoryInUseError` when
 * another process has the directory, and one clear line when it is unusable.
 */
export async function openRecordJournal(options: RecordJournalOptions): Promise<RecordJournal> {
  return openJournalOn(options, { files: nodeFileSystem, setTimer: setUnrefTimer });
}

/** As `openRecordJournal`, on a given host. */
export async function openJournalOn(options: RecordJournalOptions, host: JournalHost): Promise<RecordJournal> {
  const directory = await prepareDataDirectory(options.dir, options.logger);
  const owner = await takeDirectory(options, directory);
  let changes: JournalChanges | undefined;
  try {
    const { logger, now = () => Date.now() } = options;
    const { segmentBytes = DEFAULT_SEGMENT_BYTES, heldBytes = DEFAULT_HELD_BYTES } = options;
    const { path, logsPath } = directory;
    const files = await holdDirectory(host.files, path);
    await sweepTemporaryFiles(files, path);
    const common = { files, logger, now };
    const limits = { segmentBytes, heldBytes };
    const records = await openRecordLog({ ...common, ...limits, logsPath, setTimer: host.setTimer });
    changes = await openJournalChanges({ ...common, path: join(path, 'changes.ndjson') });
    // A crash may have come between the end of the last segment and that of its changes.
    if (records.recovered.length === 0) await changes.removeRecovered();
    return createRecordJournal({
      ...common,
      owner,
      records,
      changes,
      running: await openRunningLog({ ...common, path: join(path, 'running.ndjson') }),
      refused: openRefusedRecords({ files, path: join(path, 'refused.ndjson') }),
    });
  } catch (error) {
    await changes?.close().catch(() => undefined);
    await owner?.release();
    throw toDirectoryError(options.dir, error);
  }
}

interface Parts {
  readonly files: FileSystem;
  readonly logger: Logger | undefined;
  readonly now: () => number;
  readonly owner: DirectoryOwner | undefined;
  readonly records: RecordLog;
  readonly changes: JournalChanges;
  readonly running: RunningLog;
  readonly refused: RefusedRecords;
}

function createRecordJournal(parts: Parts): RecordJournal {
  const { logger, owner, records, changes, running, refused } = parts;
  const { recovered } = records;
  const closeAll = async (): Promise<void> => {
    try {
      for (const log of [records, running, changes, refused]) await log.close();
    } finally {
      await owner?.release();
    }
  };
  // Once: by the second time the system may have given the number of a descriptor to another file.
  let closing: Promise<void> | undefined;
  return {
    get bytes() {
      return records.bytes;
    },
    recovered,
    interrupted: running.found,
    append: records.append,
    change: changes.add,
    settleChange: changes.remove,
    settle(segment, count) {
      records.settle(segment, count);
      if (!recovered.includes(segment) || records.recovered.length > 0) return;
      changes.removeRecovered().catch((error: unknown) => {
        logger?.warn('Changes that were written could not be removed from the journal', {
          reason: errorReason(error),
        });
      });
    },
    recall: records.recall,
    release: records.release,
    end: records.end,
    read: (segment) => readSegment(parts, segment),
    setAside: refused.add,
    noteRunning: running.note,
    close: () => (closing ??= closeAll()),
  };
}

/** Reads a segment as a whole, which is small, and hands it over in pieces. */
async function* readSegment(parts: Parts, segment: number): AsyncGenerator<readonly JournaledRecord[]> {
  const { records, changes } = parts;
  let lines: Buffer[] = [];
  await recoverLog(parts, records.pathOf(segment), (line) => lines.push(line));
  while (lines.length > 0) {
    const piece = lines.slice(0, PIECE_RECORDS);
    lines = lines.slice(PIECE_RECORDS);
    yield piece.map((line) => parseRecord(line, changes));
  }
}

function parseRecord(line: Buffer, changes: JournalChanges): JournaledRecord {
  const { record, content } = JSON.parse(line.toString()) as { record: GenerationRecord; content: unknown };
  const { id } = record.generation;
  const change = changes.find(id);
  return {
    id,
    record: JSON.stringify(change?.record ?? record),
    content: content === null || change?.isContentDeleted === true ? null : JSON.stringify(content),
  };
}

interface RecordLogOptions extends JournalHost {
  readonly logsPath: string;
  readonly logger: Logger | undefined;
  /** A segment that has reached this is followed by another. */
  readonly segmentBytes: number;
  /** Bytes of closed segments, before the oldest are removed. */
  readonly heldBytes: number;
}

/** The records in their segments. One is written to; each is over when nothing in it is unsettled. */
interface RecordLog extends Pick<Log<JournaledRecord, number>, 'append' | 'close'> {
  readonly bytes: number;
  /** Segments that were there at the opening and are not settled yet, oldest first. */
  readonly recovered: readonly number[];
  end(segment: number): Promise<void>;
  settle(segment: number, records: number): void;
  /** As `RecordJournal.recall`. */
  recall(): readonly JournaledSegment[];
  /** As `RecordJournal.release`. */
  release(beforeMs: number): void;
  pathOf(segment: number): string;
}

interface RecordSegment extends Segment {
  readonly number: number;
  readonly path: string;
  /** None in a segment of an earlier process, which is not written to. */
  readonly files: readonly AppendFile[];
  readonly isRecovered: boolean;
  /** Length of a recovered segment at the opening. */
  readonly recoveredBytes: number;
  unsettled: number;
  settled: number;
  /** By the monotonic clock. */
  settledAt: number;
}

/** Finds the segments of earlier processes. The directory exists and belongs to this process. */
async function openRecordLog(options: RecordLogOptions): Promise<RecordLog> {
  const { files, logsPath, logger } = options;
  const pathOf = (number: number): string => join(logsPath, `records-${String(number).padStart(6, '0')}.ndjson`);
  const known = await findRecordSegments(options, pathOf);
  const open = createSegments<RecordSegment>({
    ...options,
    messages: { refused: 'The disk refused to keep the journal; it is tried again with the next record' },
  });
  const settlement = createSettlement(options, known, open);
  let active: RecordSegment | null = null;
  let lastNumber = Math.max(0, ...known.keys());

  const endActive = (segment: RecordSegment): void => {
    active = null;
    open.end(segment);
    settlement.holdIfOver(segment);
  };
  const choose = async (): Promise<RecordSegment> => {
    const old = active;
    if (old !== null) {
      const bytes = bytesOf(old);
      if (bytes < options.segmentBytes && (old.unsettled > 0 || bytes < WORTH_REMOVING_BYTES)) return old;
    }
    const number = lastNumber + 1;
    let file: AppendFile;
    try {
      file = await openAppendFile(files, pathOf(number));
    } catch (error) {
      if (old === null) throw error;
      // The old file is used until a new one can be opened.
      logger?.error('No new journal file can be opened; the old one stays in use', { reason: errorReason(error) });
      return old;
    }
    const opened = { ...toSegment(number, file.path), files: [file] };
    lastNumber = number;
    known.set(number, opened);
    open.add(opened);
    if (old !== null) endActive(old);
    active = opened;
    return opened;
  };
  const log = createLog<JournaledRecord, RecordSegment, number>({
    files,
    segments: open,
    filesInSegment: 1,
    choose,
    encode({ record, content }, { lines }) {
      lines[0]?.add(`{"record":${record},"content":`, content ?? 'null', '}');
    },
    commit: (_, segment) => void (segment.unsettled += 1),
    toResult: ({ number }) => number,
    closedMessage: 'The journal is closed',
  });
  return {
    append: log.append,
    get bytes() {
      return settlement.bytes;
    },
    get recovered() {
      return settlement.recovered;
    },
    settle: settlement.settle,
    recall: settlement.recall,
    release: settlement.release,
    end: (number) =>
      log.between(() => {
        if (active?.number === number) endActive(active);
      }),
    pathOf,
    async close() {
      await log.between(() => {
        if (active !== null) active.isEnded = true;
        active = null;
      });
      settlement.removeOver(() => true);
      await log.close();
    },
  };
}

/** What is settled of the segments, and which of them are over and stay only for a while. */
interface Settlement extends Pick<RecordLog, 'bytes' | 'recovered' | 'settle' | 'recall' | 'release'> {
  /** Holds a segment that is over, in the place of the oldest of them where there are too many. */
  holdIfOver(segment: RecordSegment): void;
  removeOver(isChosen: (segment: RecordSegment) => boolean): void;
}

function createSettlement(
  { files, logger, heldBytes }: RecordLogOptions,
  known: Map<number, RecordSegment>,
  open: Pick<OpenSegments<RecordSegment>, 'remove'>,
): Settlement {
  const remove = (segment: RecordSegment): void => {
    known.delete(segment.number);
    open
      .remove(segment, () => removeIfThere(files, segment.path))
      .catch((error: unknown) => {
        logger?.warn('A journal file that is over could not be removed; the next start reads it again', {
          file: segment.path,
          reason: errorReason(error),
        });
      });
  };
  const over = (): RecordSegment[] => [...known.values()].filter(isOver);
  const holdIfOver = (segment: RecordSegment): void => {
    if (!isOver(segment)) return;
    let bytes = 0;
    for (const held of over().toSorted((one, other) => other.settledAt - one.settledAt)) {
      bytes += bytesOf(held);
      if (bytes > heldBytes) remove(held);
    }
  };
  const removeOver = (isChosen: (segment: RecordSegment) => boolean): void => {
    for (const segment of over()) if (isChosen(segment)) remove(segment);
  };
  return {
    get bytes() {
      let bytes = 0;
      for (const segment of known.values()) if (segment.unsettled > 0) bytes += bytesOf(segment);
      return bytes;
    },
    get recovered() {
      return [...known.values()].filter((each) => each.isRecovered && !isOver(each)).map(({ number }) => number);
    },
    settle(number, records) {
      const segment = known.get(number);
      if (segment === undefined) return;
      segment.unsettled -= records;
      segment.settled += records;
      segment.settledAt = performance.now();
      holdIfOver(segment);
    },
    recall() {
      const recalled = [...known.values()].filter(({ settled }) => settled > 0);
      return recalled.map((segment) => {
        const { number, settled: records } = segment;
        segment.unsettled += records;
        segment.settled = 0;
        return { segment: number, records };
      });
    },
    release: (beforeMs) => removeOver(({ settledAt }) => settledAt < beforeMs),
    holdIfOver,
    removeOver,
  };
}

async function findRecordSegments(
  { files, logsPath }: RecordLogOptions,
  pathOf: (number: number) => string,
): Promise<Map<number, RecordSegment>> {
  const numbers = (await files.list(logsPath)).flatMap((name) => {
    const [, number] = NAME.exec(name) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
  const found = new Map<number, RecordSegment>();
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const path = pathOf(number);
    const recoveredBytes = await sizeOf(files, path);
    // How many records it has is known when it is read.
    const recovered = { isRecovered: true, recoveredBytes, unsettled: 1, isNew: false, isEnded: true };
    found.set(number, { ...toSegment(number, path), ...recovered });
  }
  return found;
}

const toSegment = (number: number, path: string): RecordSegment => ({
  number,
  path,
  files: [],
  isRecovered: false,
  recoveredBytes: 0,
  unsettled: 0,
  settled: 0,
  settledAt: 0,
  isNew: true,
  isEnded: false,
});

const bytesOf = ({ files: [file], recoveredBytes }: RecordSegment): number => file?.end ?? recoveredBytes;

const isOver = ({ isEnded, unsettled }: RecordSegment): boolean => isEnded && unsettled <= 0;

/** The changes of records in the journal, in a file of their own: they are few. */
interface JournalChanges {
  find(id: string): JournaledChange | undefined;
  add(change: JournaledChange): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes those that an earlier process has left. */
  removeRecovered(): Promise<void>;
  close(): Promise<void>;
}

async function openJournalChanges(
  options: Omit<RowLogOptions<JournaledChange>, 'isRetained'>,
): Promise<JournalChanges> {
  const log = await openRowLog<JournaledChange>({ ...options, isRetained: () => true });
  const changes = new Map(log.rows.map((row) => [row.id, row]));
  const recovered = [...changes.keys()];
  const inTurn = createTurns();
  const remove = (id: string): Promise<void> =>
    inTurn(async () => {
      if (!changes.delete(id)) return;
      await log.write({ removed: id });
    });
  return {
    find: (id) => changes.get(id),
    add: (change) =>
      inTurn(async () => {
        const merged = { ...changes.get(change.id), ...change };
        await log.write({ put: merged });
        changes.set(change.id, merged);
      }),
    remove,
    async removeRecovered() {
      for (const id of recovered.splice(0)) await remove(id);
    },
    close: () => inTurn(log.close),
  };
}

/** Records that a database refuses, in a file for people to look at. There is none before the first. */
interface RefusedRecords {
  add(record: JournaledRecord, reason: string): Promise<void>;
  close(): Promise<void>;
}

function openRefusedRecords({ files, path }: { readonly files: FileSystem; readonly path: string }): RefusedRecords {
  let file: AppendFile | null = null;
  const inTurn = createTurns();
  const write = async (line: Buffer): Promise<void> => {
    file ??= await openAppendFile(files, path);
    await appendLine(files, file, line);
    await syncFile(files, file);
  };
  return {
    add: (record, reason) => inTurn(() => write(toLine(JSON.stringify({ reason, ...record })))),
    close: () =>
      inTurn(async () => {
        if (file !== null) await files.close(file.fd);
        file = null;
      }),
  };
}
