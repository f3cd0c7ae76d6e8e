import { createTurns, type InTurn, type Logger } from '@model-gateway/core';

import { errorReason, type FileSystem } from '../files/file-system.ts';
import { contentFileName, nextSegment } from './segment-name.ts';
import {
  closeSegment,
  hasFailedSync,
  isDirty,
  openSegment,
  type Segment,
  type SegmentStart,
  syncSegment,
} from './segment.ts';

export interface OpenSegmentsOptions {
  readonly files: FileSystem;
  readonly logsPath: string;
  readonly logger: Logger | undefined;
  readonly now: () => number;
  /** Calls back once; must not keep the process alive. Returns what cancels it. */
  readonly setTimer: (callback: () => void, delayMs: number) => () => void;
  /** A segment that has reached one of these is followed by another. */
  readonly segmentLimits: { readonly lines: number; readonly contentBytes: number };
  /** Called when a new segment becomes the active one. Must not throw. */
  readonly rolled: () => void;
  /** Called when an older segment is complete, on disk and closed. Must not throw. */
  readonly retired: () => void;
}

/** The open segments: the active one, and older ones until their last batch is synced. */
export interface OpenSegments {
  readonly active: Segment;
  /** The oldest segment that may still be written to. */
  readonly oldest: Segment;
  /** Begins the next segment, soon, if the active one is over or full. Batches begun before stay with the old one. */
  rollIfDue(): void;
  /** Must be called when a batch of the segment has ended, with or without success. */
  release(segment: Segment): void;
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
const RETRY_ROLL_MS = 1000;

interface State {
  readonly options: OpenSegmentsOptions;
  readonly segments: Set<Segment>;
  active: Segment;
  /** Syncs and closes run one after the other. */
  readonly inTurn: InTurn;
  /** Settled unless the next segment is being opened. Not in `inTurn`: it must not wait for a slow sync. */
  rolling: Promise<void>;
  cancelSync: (() => void) | null;
  isRolling: boolean;
  /** When new files could last not be opened. */
  rollFailedAtMs: number;
  isClosing: boolean;
}

/** Opens the first segment. The caller closes the result. */
export async function openSegments(start: SegmentStart, options: OpenSegmentsOptions): Promise<OpenSegments> {
  const first = await openSegment(options.files, options.logsPath, start);
  try {
    // Synced at start, where there is time, so that a disk that fails is known before the first request.
    await syncSegment(options.files, first);
  } catch (error) {
    await closeSegment(options.files, first).catch(() => undefined);
    throw error;
  }
  const state: State = {
    options,
    segments: new Set([first]),
    active: first,
    inTurn: createTurns(),
    rolling: Promise.resolve(),
    cancelSync: null,
    isRolling: false,
    rollFailedAtMs: 0,
    isClosing: false,
  };
  return {
    get active() {
      return state.active;
    },
    get oldest() {
      for (const segment of state.segments) return segment;
      return state.active;
    },
    rollIfDue: () => rollIfDue(state),
    release(segment) {
      segment.openBatches -= 1;
      retireIfIdle(state, segment);
    },
    scheduleSync: () => scheduleSync(state),
    repair: () => (needsRepair(state) ? state.inTurn(() => repair(state)) : undefined),
    sync: () => state.inTurn(() => syncAll(state)),
    async close() {
      state.isClosing = true;
      await state.rolling;
      await state.inTurn(() => closeAll(state));
    },
  };
}

function scheduleSync(state: State): void {
  state.cancelSync ??= state.options.setTimer(() => {
    void state
      .inTurn(() => syncAll(state))
      .catch((error: unknown) => reportFailedSync(state, error))
      .finally(() => {
        state.cancelSync = null;
        // After a failure, the next batch repairs first and schedules a sync as usual.
        if (!needsRepair(state) && [...state.segments].some(isDirty)) scheduleSync(state);
      });
  }, SYNC_INTERVAL_MS);
}

function reportFailedSync(state: State, error: unknown): void {
  state.options.logger?.error('The disk refused to keep generations; no more are accepted until it takes them', {
    reason: errorReason(error),
  });
}

async function syncAll(state: State): Promise<void> {
  for (const segment of state.segments) await syncSegment(state.options.files, segment);
}

async function repair(state: State): Promise<void> {
  await syncAll(state);
  state.options.logger?.info('The disk keeps generations again');
}

function needsRepair(state: State): boolean {
  // Runs with every batch, so it makes no list.
  for (const segment of state.segments) if (hasFailedSync(segment)) return true;
  return false;
}

function rollIfDue(state: State): void {
  const { active, options } = state;
  const { lines, contentBytes } = options.segmentLimits;
  const now = options.now();
  const isDue = now >= active.endsAtMs || active.lines >= lines || active.content.end >= contentBytes;
  // The distance counts in both directions, because the clock may have been set back since.
  const hasJustFailed = Math.abs(now - state.rollFailedAtMs) < RETRY_ROLL_MS;
  if (!isDue || state.isRolling || state.isClosing || hasJustFailed) return;
  state.isRolling = true;
  state.rolling = roll(state).finally(() => {
    state.isRolling = false;
  });
}

async function roll(state: State): Promise<void> {
  const { files, logsPath, now, logger, rolled } = state.options;
  const old = state.active;
  const name = nextSegment(old.name, now());
  try {
    state.active = await openSegment(files, logsPath, { name, contentFile: contentFileName(name), lines: 0 });
  } catch (error) {
    // The old files are used until new ones can be opened.
    state.rollFailedAtMs = now();
    logger?.error('No new log files can be opened; the old ones stay in use', { reason: errorReason(error) });
    return;
  }
  state.segments.add(state.active);
  retireIfIdle(state, old);
  rolled();
}

function retireIfIdle(state: State, segment: Segment): void {
  if (segment === state.active || segment.openBatches > 0) return;
  void state
    .inTurn(async () => {
      // The segment may be closed by now, and its descriptors reused for other files.
      if (!state.segments.has(segment)) return;
      await syncSegment(state.options.files, segment);
      state.segments.delete(segment);
      await closeSegment(state.options.files, segment);
      state.options.retired();
      // After a failed sync the segment stays open: the next batch repairs it first, and closing the store closes it.
    })
    .catch((error: unknown) => reportFailedSync(state, error));
}

async function closeAll(state: State): Promise<void> {
  state.cancelSync?.();
  const { files } = state.options;
  const failures: unknown[] = [];
  for (const segment of state.segments) {
    try {
      await syncSegment(files, segment);
    } catch (error) {
      failures.push(error);
    }
    await closeSegment(files, segment).catch((error: unknown) => failures.push(error));
  }
  state.segments.clear();
  if (failures.length > 0) throw failures[0];
}
