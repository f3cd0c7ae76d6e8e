import { createTurns, type Logger, type Platform } from '@model-gateway/core';

import { syncDirectory } from '../files/atomic-file.ts';
import { errorReason, type FileSystem } from '../files/file-system.ts';
import { type AppendFile, syncFile } from './append-file.ts';

/** The part of a log that is dropped as a whole: files that are written to together. */
export interface Segment {
  /** Open for writing. */
  readonly files: readonly AppendFile[];
  /** The names of the files are not durable yet. */
  isNew: boolean;
  /** Nothing more is written to it: it is closed once it is synced. */
  isEnded: boolean;
}

export interface SegmentsOptions<Opened extends Segment> extends Pick<Platform, 'setTimer'> {
  readonly files: FileSystem;
  /** The directory of all files. */
  readonly logsPath: string;
  readonly logger: Logger | undefined;
  readonly messages: {
    /** Logged when the disk refuses what was written. */
    readonly refused: string;
    /** Logged when it has taken that after all. */
    readonly taken?: string | undefined;
  };
  /** Called when a segment that has ended is on disk and closed. Must not throw. */
  readonly closed?: ((segment: Opened) => void) | undefined;
}

/** The segments of a log that are open: the one that is written to, and older ones until they are synced. */
export interface OpenSegments<Opened extends Segment> {
  /** Oldest first. */
  readonly open: ReadonlySet<Opened>;
  add(segment: Opened): void;
  /** Syncs and closes a segment to which nothing more is written. */
  end(segment: Opened): void;
  /** Closes a segment without a sync, if that was not done before, and then removes its files. */
  remove(segment: Opened, removeFiles: () => Promise<void>): Promise<void>;
  /** Schedules the sync of what was just written. */
  scheduleSync(): void;
  /** Undefined when no sync has failed. Otherwise repairs the files; rejects while bytes remain uncertain. */
  repair(): Promise<void> | undefined;
  /** Syncs everything written so far. */
  sync(): Promise<void>;
  /** Syncs and closes everything; rejects when something may not be durable. */
  close(): Promise<void>;
}

// An acknowledged record is synced within a second; the sync itself takes a part of it.
const SYNC_INTERVAL_MS = 900;

/** Creates the set of open segments, which is empty. The caller closes it. */
export function createSegments<Opened extends Segment>(options: SegmentsOptions<Opened>): OpenSegments<Opened> {
  const { files, logsPath, logger, messages } = options;
  const open = new Set<Opened>();
  // Syncs and closes run one after the other.
  const inTurn = createTurns();
  let cancelSync: (() => void) | null = null;

  const needsRepair = (): boolean => {
    // Runs with every write, so it makes no list.
    for (const segment of open) for (const file of segment.files) if (file.hasFailedSync) return true;
    return false;
  };
  const syncNames = async (segments: readonly Opened[]): Promise<void> => {
    const made = segments.filter(({ isNew }) => isNew);
    if (made.length === 0) return;
    try {
      await syncDirectory(files, logsPath);
    } catch (error) {
      // While a name may be lost, the bytes count as not synced.
      for (const segment of made) for (const file of segment.files) file.hasFailedSync = true;
      throw error;
    }
    for (const segment of made) segment.isNew = false;
  };
  const closeFiles = async (segment: Opened): Promise<void> => {
    open.delete(segment);
    await settleAll(segment.files.map((file) => files.close(file.fd)));
  };
  const sync = async (segments = [...open]): Promise<void> => {
    const wasRefused = needsRepair();
    await syncNames(segments);
    for (const segment of segments) {
      await settleAll(segment.files.map((file) => syncFile(files, file)));
      if (!segment.isEnded) continue;
      await closeFiles(segment);
      options.closed?.(segment);
    }
    if (wasRefused && !needsRepair() && messages.taken !== undefined) logger?.info(messages.taken);
  };
  // After a failed sync a segment that has ended stays open: the next write repairs it first, and `close` closes it.
  const syncSoon = (only?: Opened): void => {
    // By then it may be closed, and its descriptors may be those of other files.
    inTurn(() => sync(only === undefined ? undefined : [only].filter((segment) => open.has(segment)))).catch(
      (error: unknown) => logger?.error(messages.refused, { reason: errorReason(error) }),
    );
  };

  return {
    open,
    add: (segment) => void open.add(segment),
    end(segment) {
      segment.isEnded = true;
      syncSoon(segment);
    },
    remove: (segment, removeFiles) =>
      inTurn(async () => {
        // Once it is closed, its descriptors may be those of other files.
        if (open.has(segment)) await closeFiles(segment);
        await removeFiles();
      }),
    scheduleSync() {
      cancelSync ??= options.setTimer(() => {
        cancelSync = null;
        syncSoon();
      }, SYNC_INTERVAL_MS);
    },
    repair: () => (needsRepair() ? inTurn(() => sync()) : undefined),
    sync: () => inTurn(() => sync()),
    close: () =>
      inTurn(async () => {
        cancelSync?.();
        const failures: unknown[] = [];
        const note = (error: unknown): void => void failures.push(error);
        await syncNames([...open]).catch(note);
        for (const segment of open) {
          await settleAll(segment.files.map((file) => syncFile(files, file))).catch(note);
          await closeFiles(segment).catch(note);
        }
        if (failures.length > 0) throw failures[0];
      }),
  };
}

/** Waits for all, also where one has failed; rejects with the first failure. */
async function settleAll(work: readonly Promise<void>[]): Promise<void> {
  const failure = (await Promise.allSettled(work)).find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}
