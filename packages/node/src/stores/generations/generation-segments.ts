import { join } from 'node:path';

import type { Awaitable } from '@model-gateway/core';

import { errorReason, type FileSystem } from '../files/file-system.ts';
import { type AppendFile, openAppendFile } from '../log/append-file.ts';
import { type Batch, createLog, type Log, type LogOptions } from '../log/log.ts';
import { toLine } from '../log/record-line.ts';
import {
  contentFileName,
  dayAt,
  endOfSegment,
  metadataFileName,
  nextSegment,
  type SegmentName,
} from '../log/segment-name.ts';
import { createSegments, type Segment, type SegmentsOptions } from '../log/segments.ts';
import { type ContentReference, segmentLine } from './generation-lines.ts';

/** A pair of files that is open for writing: metadata, and contents. */
export interface GenerationSegment extends Segment {
  readonly name: SegmentName;
  readonly contentFile: string;
  /** By the clock of retention. */
  readonly endsAtMs: number;
  /** The end of its day by the clock of the system, by which calls are dated. */
  readonly datedUntilMs: number;
  readonly content: AppendFile;
  /** Lines of the metadata file, which say when the segment is full. */
  lines: number;
}

/** The state from which a segment is opened: its current content file and the number of its lines. */
export interface SegmentStart {
  readonly name: SegmentName;
  readonly contentFile: string;
  readonly lines: number;
}

export interface JournalOptions<Operation> extends Pick<
  SegmentsOptions<GenerationSegment>,
  'files' | 'logsPath' | 'logger' | 'setTimer'
> {
  /** The clock of retention, which names segments. */
  readonly now: () => number;
  /** The clock of the system, which dates calls. It is ahead of the other one while that is held. */
  readonly systemNow: () => number;
  /** A segment that has reached one of these is followed by another. */
  readonly segmentLimits: { readonly lines: number; readonly contentBytes: number };
  readonly encode: LogOptions<Operation, GenerationSegment, void>['encode'];
  readonly commit: (operation: Operation) => void;
  /** Called when a new segment becomes the active one. Must not throw. */
  readonly rolled: () => void;
  /** Called when an older segment is complete, on disk and closed. Must not throw. */
  readonly retired: () => void;
}

/** The log of generations: a pair of files each day, and another where a day has very many. */
export interface Journal<Operation> extends Omit<Log<Operation, void>, 'between'> {
  /** The segment that is written to. */
  readonly active: GenerationSegment;
  /** The oldest segment that may still be written to. */
  readonly oldest: GenerationSegment;
  /** Begins a new segment, soon, if the present one is over or full; every write does so as well. */
  rollIfDue(): void;
}

const RETRY_ROLL_MS = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Opens the log of generations for writing at the given segment. The caller closes it. */
export async function openJournal<Operation>(
  start: SegmentStart,
  options: JournalOptions<Operation>,
): Promise<Journal<Operation>> {
  const { files, logsPath, logger, now, systemNow, segmentLimits, rolled, retired } = options;
  const segments = createSegments<GenerationSegment>({
    ...options,
    messages: {
      refused: 'The disk refused to keep generations; no more are accepted until it takes them',
      taken: 'The disk keeps generations again',
    },
    closed: retired,
  });
  let active = await openSegment(files, logsPath, { ...start, nowMs: now(), systemMs: systemNow() });
  segments.add(active);
  try {
    // Synced at start, where there is time, so that a disk that fails is known before the first request.
    await segments.sync();
  } catch (error) {
    await segments.close().catch(() => undefined);
    throw error;
  }
  /** When new files could last not be opened. */
  let rollFailedAtMs = 0;

  const roll = async (): Promise<GenerationSegment> => {
    const nowMs = now();
    const name = nextSegment(active.name, nowMs);
    const start: SegmentStart = { name, contentFile: contentFileName(name), lines: 0 };
    let opened: GenerationSegment;
    try {
      opened = await openSegment(files, logsPath, { ...start, nowMs, systemMs: systemNow() });
    } catch (error) {
      // The old files are used until new ones can be opened.
      rollFailedAtMs = now();
      logger?.error('No new log files can be opened; the old ones stay in use', { reason: errorReason(error) });
      return active;
    }
    const old = active;
    active = opened;
    segments.add(opened);
    segments.end(old);
    rolled();
    return active;
  };
  const choose = (): Awaitable<GenerationSegment> => {
    const nowMs = now();
    const isFull = active.lines >= segmentLimits.lines || active.content.end >= segmentLimits.contentBytes;
    // The distance counts in both directions, because the clock may have been set back since.
    const hasJustFailed = Math.abs(nowMs - rollFailedAtMs) < RETRY_ROLL_MS;
    const isOver = nowMs >= active.endsAtMs || isOfAnotherDay(active, systemNow());
    return (isFull || isOver) && !hasJustFailed ? roll() : active;
  };
  const log = createLog<Operation, GenerationSegment, void>({
    files,
    segments,
    filesInSegment: 2,
    choose,
    encode(operation, batch) {
      options.encode(operation, batch);
      batch.segment.lines += 1;
    },
    commit: options.commit,
    toResult: () => undefined,
    closedMessage: 'The store is closed',
  });
  return {
    ...log,
    get active() {
      return active;
    },
    get oldest() {
      for (const segment of segments.open) return segment;
      return active;
    },
    rollIfDue: () => void log.between(choose),
  };
}

/**
 * Whether calls are dated by another day now than when the segment was opened. While the clock of retention is held, its
 * day hardly moves: the calls of all those days would be in one segment, and be kept as long as the newest of them. A
 * clock that is set back by less than a day ends nothing, so that one that is corrected at midnight makes no more files.
 */
function isOfAnotherDay({ datedUntilMs }: GenerationSegment, systemMs: number): boolean {
  return systemMs >= datedUntilMs || systemMs < datedUntilMs - 2 * DAY_MS;
}

/** Opens or creates the files of a segment, without a sync. */
async function openSegment(
  files: FileSystem,
  logsPath: string,
  { name, contentFile, lines, nowMs, systemMs }: SegmentStart & { readonly nowMs: number; readonly systemMs: number },
): Promise<GenerationSegment> {
  const metadata = await openAppendFile(files, join(logsPath, metadataFileName(name)), toLine(segmentLine()));
  try {
    const content = await openAppendFile(files, join(logsPath, contentFile));
    // One that has its name after others of a clock that was ahead ends with today all the same.
    const endsAtMs = Math.min(endOfSegment(name), endOfSegment(dayAt(nowMs)));
    const datedUntilMs = endOfSegment(dayAt(systemMs));
    const opened = { files: [metadata, content], content, lines, isNew: true, isEnded: false };
    return { name, contentFile, endsAtMs, datedUntilMs, ...opened };
  } catch (error) {
    await files.close(metadata.fd).catch(() => undefined);
    throw error;
  }
}

/** The lines of a write, for each file of a pair. */
export type GenerationBatch = Batch<GenerationSegment>;

/** Adds a metadata line, in the pieces that a line buffer takes. */
export function putMetadata({ lines }: GenerationBatch, recordJson: string, more?: string, end?: string): void {
  lines[0]?.add(recordJson, more, end);
}

/** Adds a content line, in the pieces that a line buffer takes, and returns its place in the file. */
export function putContent(
  { segment, lines: [, content] }: GenerationBatch,
  recordJson: string,
  more?: string | Iterable<string>,
  end?: string,
): ContentReference {
  if (content === undefined) throw new Error('The segment has no file of contents');
  const offset = segment.content.end + content.length;
  const lineBytes = content.add(recordJson, more, end);
  return { file: segment.contentFile, offset, length: lineBytes - 1 };
}
