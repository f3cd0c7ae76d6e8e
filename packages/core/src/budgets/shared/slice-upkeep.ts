import type { Platform } from '../../foundation/platform.ts';
import type { HoldBook } from '../hold-book.ts';
import type { SliceLease } from './slice-lease.ts';
import type { SliceShelf } from './slice-shelf.ts';
import type { SliceStatements } from './slice-statements.ts';
import { freeOf, minuteOf, recentOf, type Slice, usedOf } from './slice.ts';

export interface SliceUpkeepOptions {
  readonly shelf: SliceShelf;
  readonly statements: Pick<SliceStatements, 'put' | 'isDown'>;
  readonly lease: Pick<SliceLease, 'isValid' | 'renewedAt'>;
  readonly book: HoldBook;
  readonly platform: Pick<Platform, 'monotonicNow' | 'setTimer'>;
}

const EVERY_MS = 1000;
/** What has not been used for this long is returned. */
const IDLE_MS = 5000;
/** The same for a wide budget, whose slices last as long without the store. */
const WIDE_IDLE_MS = 65_000;
/** A budget that nobody has asked about for this long is forgotten: its period is over, or its limit is gone. */
const FORGOTTEN_MS = 60 * 60 * 1000;
/** A slice may stay this much larger than what was used lately. */
const SPARE = 4;

/** Writes once a second, in one statement for all slices, what has been counted or is not needed any more. */
export function createSliceUpkeep({ shelf, statements, lease, book, platform }: SliceUpkeepOptions) {
  let cancel: (() => void) | undefined;
  let isStopped = false;
  let failedAt = -Infinity;

  const lookAt = (slice: Slice, isEnding: boolean, now: number): boolean => {
    if (slice.asking !== undefined || slice.isServing) return false;
    const idleMs = now - slice.usedAt;
    const used = idleMs > FORGOTTEN_MS ? 0 : Math.max(0, usedOf(slice, book));
    const minute = minuteOf(slice, now);
    const isIdle = idleMs > (minute > 0 ? WIDE_IDLE_MS : IDLE_MS);
    const recent = SPARE * Math.max(recentOf(slice, now), slice.lastNeedNanoUsd);
    const mayKeep = isEnding || isIdle ? 0 : Math.max(recent, 2 * minute);
    slice.leasedNanoUsd = used + Math.max(0, Math.min(freeOf(slice, book), mayKeep));
    if (slice.leasedNanoUsd !== slice.writtenNanoUsd) return true;
    if (slice.leasedNanoUsd === 0 && isIdle) shelf.remove(slice);
    return false;
  };
  const write = async (isEnding: boolean): Promise<void> => {
    const now = platform.monotonicNow();
    // Slices that could not be written stay as they are until the store is back: calls may need them.
    const isDown = statements.isDown() || lease.renewedAt() <= failedAt;
    if (!lease.isValid() || (isDown && !isEnding)) return;
    const changed = [...shelf.all()].filter((slice) => lookAt(slice, isEnding, now));
    if (changed.length === 0) return;
    await statements.put(changed).catch((error: unknown) => {
      failedAt = now;
      throw error;
    });
  };
  const schedule = (): void => {
    if (isStopped || cancel !== undefined) return;
    cancel = platform.setTimer(() => {
      // What could not be written is written later, or was lost with the lease.
      write(false)
        .catch(() => undefined)
        .finally(() => {
          cancel = undefined;
          if (!shelf.isEmpty()) schedule();
        });
    }, EVERY_MS);
  };
  return {
    /** Call after a slice has been added. */
    begin: schedule,
    /** Returns all that calls do not use. */
    async end(): Promise<void> {
      isStopped = true;
      cancel?.();
      await Promise.all([...shelf.all()].map(({ asking }) => asking ?? Promise.resolve()));
      await write(true);
    },
  };
}
