import { join } from 'node:path';

import { createTurns } from '@model-gateway/core';

import { replaceFile, readWholeFile } from './files/atomic-file.ts';
import { errorReason } from './files/file-system.ts';
import type { RecoveryOptions } from './log/recover-log.ts';
import { compareSegments, endOfSegment, parseLogFileName } from './log/segment-name.ts';

/** The clock by which retention judges ages. It does not follow a system clock that leaps ahead (docs/decisions/0031). */
export interface RetentionClock {
  /** Milliseconds since the epoch; behind the system clock for as long as that is not believed. */
  now(): number;
  /** Whether the system clock is not believed at present. */
  isHeld(): boolean;
  /** Stores what the next start compares the system clock with, unless that was done just now. Never rejects. */
  save(): Promise<void>;
}

export interface RetentionClockOptions extends RecoveryOptions {
  /** Where the clock keeps its file. */
  readonly directory: string;
  readonly logsPath: string;
  readonly monotonicNow: () => number;
  /** Whether the operator says that the system clock is right. */
  readonly trustsClock: boolean;
  /** Whether anything is dropped by this clock. Where nothing is, it does not matter whether it is held. */
  readonly dropsByAge: boolean;
}

/** The content of the file, or what takes its place. */
interface Mark {
  readonly judgedAt: number;
  readonly steadyMs: number | null;
  readonly isStored: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** A system clock that is ahead by more than this is not believed at once. */
const LEAP_MS = DAY_MS;
/** It is believed after this time without another leap. */
const STEADY_MS = DAY_MS;
const SAVE_EVERY_MS = 10 * 60 * 1000;
const FILE_NAME = 'clock.json';

/**
 * Opens the clock of a directory. While the process runs, the monotonic clock shows how far the system clock should have
 * moved; at start, the time that was stored last shows from where. A machine that was off or asleep for over a day looks
 * the same as a clock that leapt: retention waits then, and nothing is lost by that.
 */
export async function openRetentionClock(options: RetentionClockOptions): Promise<RetentionClock> {
  const { files, directory, logger, now, monotonicNow, trustsClock, dropsByAge } = options;
  const path = join(directory, FILE_NAME);
  const mark = trustsClock ? undefined : await readMark(options, path);
  let seenAt = now();
  let seenMonotonic = monotonicNow();
  let judgedAt = mark?.judgedAt ?? seenAt;
  /** For how long the system clock has been steady since it was found ahead; null while it is believed. */
  let steadyMs = mark?.steadyMs ?? null;

  const hold = (): void => {
    if (!dropsByAge) return;
    const days = Math.floor((seenAt - judgedAt) / DAY_MS);
    logger?.warn(
      'The clock is ahead of the data by more than a day, so nothing is dropped for its age until the clock has been ' +
        'steady for a day of running; set the clock if it is wrong, or start with --trust-clock if it is right',
      { clock: toIsoTime(seenAt), expected: toIsoTime(judgedAt), days },
    );
  };
  const look = (): number => {
    const elapsed = monotonicNow() - seenMonotonic;
    const leap = now() - seenAt - elapsed;
    seenAt = now();
    seenMonotonic += elapsed;
    judgedAt += elapsed;
    const isAhead = seenAt - judgedAt > LEAP_MS;
    if (isAhead && (steadyMs === null || leap > LEAP_MS)) {
      steadyMs = 0;
      hold();
    } else if (steadyMs !== null) steadyMs += elapsed;
    if (isAhead && steadyMs !== null && steadyMs < STEADY_MS) return judgedAt;
    if (steadyMs !== null && dropsByAge) logger?.info('The clock is trusted again, and retention follows it');
    steadyMs = null;
    judgedAt = seenAt;
    return judgedAt;
  };
  // A clock that was ahead when the last process ended is reported again.
  if (steadyMs !== null && seenAt - judgedAt > LEAP_MS) hold();
  look();

  let savedAt = mark?.isStored === true && steadyMs === null ? mark.judgedAt : null;
  const inTurn = createTurns();
  const save = async (): Promise<void> => {
    look();
    if (savedAt !== null && steadyMs === null && Math.abs(judgedAt - savedAt) < SAVE_EVERY_MS) return;
    const storedAt = steadyMs === null ? judgedAt : null;
    const text = JSON.stringify({ judgedAt: toIsoTime(judgedAt), steadyMs });
    try {
      await replaceFile(files, path, Buffer.from(`${text}\n`));
      savedAt = storedAt;
    } catch (error) {
      logger?.warn('The time could not be stored', { file: path, reason: errorReason(error) });
    }
  };
  return {
    now: look,
    isHeld() {
      look();
      return steadyMs !== null;
    },
    save: () => inTurn(save),
  };
}

/** The stored time; without one, the end of the newest day in the logs. Undefined in a directory without either. */
async function readMark(options: RetentionClockOptions, path: string): Promise<Mark | undefined> {
  const { files, logsPath } = options;
  try {
    const { judgedAt, steadyMs } = JSON.parse((await readWholeFile(files, path)).toString()) as Record<string, unknown>;
    const at = typeof judgedAt === 'string' ? Date.parse(judgedAt) : Number.NaN;
    if (!Number.isNaN(at))
      return { judgedAt: at, steadyMs: typeof steadyMs === 'number' ? steadyMs : null, isStored: true };
  } catch {
    // Missing or unreadable; it is written again.
  }
  const segments = (await files.list(logsPath)).flatMap((name) => parseLogFileName(name)?.segment ?? []);
  const newest = segments.toSorted(compareSegments).at(-1);
  return newest === undefined ? undefined : { judgedAt: endOfSegment(newest), steadyMs: null, isStored: false };
}

const toIsoTime = (ms: number): string => new Date(ms).toISOString();
