import { join } from 'node:path';

import type { JournaledRecord, RecordJournal } from '@model-gateway/core';

import { removeIfThere } from '../files/atomic-file.ts';
import { errorReason, sizeOf } from '../files/file-system.ts';
import { type AppendFile, openAppendFile } from './append-file.ts';
import { createLog, type Log } from './log.ts';
import { MAX_LINE_BYTES } from './recover-log.ts';
import { createSegments, type OpenSegments, type Segment, type SegmentsOptions } from './segments.ts';

/** A smaller segment is written to again after all its records are settled. */
const WORTH_REMOVING_BYTES = 1024 * 1024;
const NAME = /^records-(\d+)\.ndjson$/;

export interface RecordLogOptions extends Pick<
  SegmentsOptions<RecordSegment>,
  'files' | 'logsPath' | 'logger' | 'setTimer'
> {
  /** A segment that has reached this is followed by another. */
  readonly segmentBytes: number;
  /** Bytes of closed segments, before the oldest are removed. */
  readonly heldBytes: number;
}

/** For the frame of a line. */
const FRAME_ROOM_BYTES = 1024;

/** Whether a line can be read again with its content: of one that is too long, the record would be lost with it. */
function fitsLine(record: string, content: string): boolean {
  const mostBytes = (record.length + content.length) * 3 + FRAME_ROOM_BYTES;
  // They are counted only where they have to be.
  if (mostBytes <= MAX_LINE_BYTES) return true;
  return Buffer.byteLength(record) + Buffer.byteLength(content) + FRAME_ROOM_BYTES <= MAX_LINE_BYTES;
}

/** The records in their segments. One is written to; each is over when nothing in it is unsettled. */
export interface RecordLog
  extends
    Pick<Log<JournaledRecord, number>, 'append' | 'close'>,
    Pick<RecordJournal, 'bytes' | 'recovered' | 'end' | 'settle' | 'recall' | 'release'> {
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
export async function openRecordLog(options: RecordLogOptions): Promise<RecordLog> {
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
      const isKept = content === null || fitsLine(record, content);
      if (!isKept)
        logger?.warn('A content is too long for the journal; it is lost unless the database takes it from memory');
      lines[0]?.add(`{"record":${record},"content":`, isKept && content !== null ? content : 'null', '}');
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
