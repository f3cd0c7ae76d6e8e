import { join } from 'node:path';

import type { GenerationRecord, JournaledRecord, Logger, RecordJournal } from '@model-gateway/core';

import { setUnrefTimer } from '../../node-timers.ts';
import { sweepTemporaryFiles } from '../files/atomic-file.ts';
import { prepareDataDirectory, toDirectoryError } from '../files/directory.ts';
import { errorReason, type FileSystem, holdDirectory, nodeFileSystem } from '../files/file-system.ts';
import { type DirectoryOwner, takeDirectory } from '../files/ownership.ts';
import { openRunningLog, type RunningLog } from '../generations/running-log.ts';
import { recoverJournal } from '../journal/journal-reader.ts';
import { createGroupCommit } from './group-commit.ts';
import { type JournalChanges, openJournalChanges } from './journal-changes.ts';
import { openRecordSegments, type RecordSegments } from './record-segments.ts';
import { openRefusedRecords, type RefusedRecords } from './refused-records.ts';

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
    const segments = await openRecordSegments({ ...common, ...limits, logsPath, setTimer: host.setTimer });
    changes = await openJournalChanges({ ...common, path: join(path, 'changes.ndjson') });
    // A crash may have come between the end of the last segment and that of its changes.
    if (segments.recovered.length === 0) await changes.removeRecovered();
    return createRecordJournal({
      ...common,
      owner,
      segments,
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
  readonly segments: RecordSegments;
  readonly changes: JournalChanges;
  readonly running: RunningLog;
  readonly refused: RefusedRecords;
}

function createRecordJournal(parts: Parts): RecordJournal {
  const { logger, owner, segments, changes, running, refused } = parts;
  const group = createGroupCommit(segments);
  const { recovered } = segments;
  const closeAll = async (): Promise<void> => {
    try {
      await group.close();
      await segments.close();
      for (const log of [running, changes, refused]) await log.close();
    } finally {
      await owner?.release();
    }
  };
  // Once: by the second time the system may have given the number of a descriptor to another file.
  let closing: Promise<void> | undefined;
  return {
    get bytes() {
      return segments.bytes;
    },
    recovered,
    interrupted: running.found,
    append: group.append,
    change: changes.add,
    settleChange: changes.remove,
    settle(segment, records) {
      segments.settle(segment, records);
      if (!recovered.includes(segment) || segments.recovered.length > 0) return;
      changes.removeRecovered().catch((error: unknown) => {
        logger?.warn('Changes that were written could not be removed from the journal', {
          reason: errorReason(error),
        });
      });
    },
    recall: segments.recall,
    release: segments.release,
    end: (segment) => group.between(() => segments.end(segment)),
    read: (segment) => readSegment(parts, segment),
    setAside: refused.add,
    noteRunning: running.note,
    close: () => (closing ??= closeAll()),
  };
}

/** Reads a segment as a whole, which is small, and hands it over in pieces. */
async function* readSegment(parts: Parts, segment: number): AsyncGenerator<readonly JournaledRecord[]> {
  const { segments, changes } = parts;
  let lines: Buffer[] = [];
  await recoverJournal(parts, segments.pathOf(segment), (line) => lines.push(line));
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
