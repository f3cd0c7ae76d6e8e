import { join } from 'node:path';

import {
  createTurns,
  type GenerationRecord,
  type JournaledChange,
  type JournaledRecord,
  type RecordJournal,
} from '@model-gateway/core';

import { setUnrefTimer } from '../node-timers.ts';
import { sweepTemporaryFiles } from './files/atomic-file.ts';
import { prepareDataDirectory, toDirectoryError } from './files/directory.ts';
import { errorReason, type FileSystem, holdDirectory, nodeFileSystem } from './files/file-system.ts';
import { closeAndRelease, type DirectoryOptions, type DirectoryOwner, takeDirectory } from './files/ownership.ts';
import { openRunningLog, type RunningLog } from './generations/running-log.ts';
import { type AppendFile, appendLine, openAppendFile, syncFile } from './log/append-file.ts';
import { toLine } from './log/record-line.ts';
import { openRecordLog, type RecordLog, type RecordLogOptions } from './log/record-log.ts';
import { type RecoveryOptions, recoverLog } from './log/recover-log.ts';
import { openRowLog, type RowLogOptions } from './log/row-log.ts';

export interface RecordJournalOptions extends DirectoryOptions {
  /** A file that has reached this is followed by another. Default: 8 MiB. */
  readonly segmentBytes?: number | undefined;
  /** Files whose records are in the database stay for some time, up to this. Default: 256 MiB. */
  readonly heldBytes?: number | undefined;
}

/** Parts of the machine that tests replace. */
type JournalHost = Pick<RecordLogOptions, 'files' | 'setTimer'>;

const DEFAULT_SEGMENT_BYTES = 8 * 1024 * 1024;
const DEFAULT_HELD_BYTES = 256 * 1024 * 1024;
const PIECE_RECORDS = 500;

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
    for (const folder of [path, logsPath]) await sweepTemporaryFiles(files, folder);
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

interface Parts extends RecoveryOptions {
  readonly owner: DirectoryOwner | undefined;
  readonly records: RecordLog;
  readonly changes: JournalChanges;
  readonly running: RunningLog;
  readonly refused: RefusedRecords;
}

function createRecordJournal(parts: Parts): RecordJournal {
  const { logger, owner, records, changes, running, refused } = parts;
  const { recovered } = records;
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
    close: () => (closing ??= closeAndRelease([records, running, changes, refused], owner)),
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
  let isClosed = false;
  const inTurn = createTurns();
  const write = async (line: Buffer): Promise<void> => {
    // The directory may have another owner by now.
    if (isClosed) throw new Error('The journal is closed');
    file ??= await openAppendFile(files, path);
    await appendLine(files, file, line);
    await syncFile(files, file);
  };
  return {
    add: (record, reason) => inTurn(() => write(toLine(JSON.stringify({ reason, ...record })))),
    close: () =>
      inTurn(async () => {
        isClosed = true;
        if (file !== null) await files.close(file.fd);
      }),
  };
}
