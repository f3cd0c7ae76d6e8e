import { createSpendingBook } from '@model-gateway/core';

import { nextTurn } from '../../node-timers.ts';
import { errorReason } from '../files/file-system.ts';
import type { GenerationIndex } from '../generation-index/generation-index.ts';
import { type CarriedForward, fromCarriedSum, toCarriedSums } from '../journal/generation-lines.ts';
import { addOperation, type Journal } from '../journal/journal.ts';
import { endOfSegment, isThrough, type SegmentName } from '../journal/segment-name.ts';
import type { RetentionClock } from '../retention-clock.ts';
import { type LoadOptions, removeDroppedFiles } from './load-generations.ts';
import { planRetention, type RetentionLimits } from './retention.ts';

export interface RetentionOptions<Operation> extends LoadOptions {
  readonly setTimer: (callback: () => void, delayMs: number) => () => void;
  readonly limits: RetentionLimits;
  readonly retentionClock: Pick<RetentionClock, 'now' | 'save'>;
  readonly index: GenerationIndex;
  readonly journal: Journal<Operation>;
  /** The sums that were found at start. */
  readonly carried: CarriedForward;
  /** Makes the operation that stores the sums in the journal. */
  readonly toOperation: (carried: CarriedForward) => Operation;
}

/** Keeps the limits while the store is open. */
export interface Retention {
  /** Checks the limits, once more if a check is running. Logs failures: old files are no reason to refuse new ones. */
  look(): void;
  /** Resolves when no check is running. */
  settled(): Promise<void>;
  /** Ends the checks; one that is running goes on until `settled`. */
  /** The moment from which on nothing was dropped; undefined where nothing was. */
  completeFromMs(): number | undefined;
  stop(): void;
}

const LOOK_EVERY_MS = 60 * 60 * 1000;

/** Starts to keep the limits: at once, every hour, and whenever `look` is called. `stop` ends it. */
export function startRetention<Operation>(options: RetentionOptions<Operation>): Retention {
  let { carried } = options;
  let running = Promise.resolve();
  let waiting = 0;
  let isStopped = false;
  let cancelTimer = (): void => undefined;

  const look = (): void => {
    if (isStopped) return;
    // One check that has not begun yet is enough for all requests.
    if (waiting > 0) return;
    waiting += 1;
    running = running
      .then(async () => {
        waiting -= 1;
        carried = await drop(options, carried);
      })
      .catch((error: unknown) => {
        options.logger?.error('Old generations could not be dropped', { reason: errorReason(error) });
      });
  };
  const lookEveryHour = (): void => {
    cancelTimer = options.setTimer(() => {
      // Begins a new segment in a store without writes as well, so that its last day can be dropped.
      if (options.journal.active.lines > 0) options.journal.rollIfDue();
      look();
      void options.retentionClock.save();
      lookEveryHour();
    }, LOOK_EVERY_MS);
  };

  look();
  lookEveryHour();
  return {
    look,
    settled: () => running,
    completeFromMs: () => completeFromOf(carried),
    stop() {
      isStopped = true;
      cancelTimer();
    },
  };
}

/** Requests are served between. */
const READ_AT_A_TIME = 500;

/** Of what an earlier version dropped only the day is known. */
const completeFromOf = ({ completeFromMs, droppedThrough }: CarriedForward): number | undefined =>
  completeFromMs ?? (droppedThrough === null ? undefined : endOfSegment(droppedThrough));

/** The moment after the last of all records began that are dropped by now. */
async function findCompleteFrom<Operation>(
  { index }: RetentionOptions<Operation>,
  dropThrough: SegmentName | null,
  carried: CarriedForward,
): Promise<number | undefined> {
  let latest = completeFromOf(carried);
  let read = 0;
  for (const { name } of index.segments) {
    if (dropThrough === null || !isThrough(name, dropThrough)) continue;
    for (const entry of index.entries(name)) {
      latest = Math.max(latest ?? 0, entry.readFacts().createdAtMs + 1);
      read += 1;
      if (read % READ_AT_A_TIME === 0) await nextTurn();
    }
  }
  return latest;
}

async function drop<Operation>(options: RetentionOptions<Operation>, carried: CarriedForward): Promise<CarriedForward> {
  const { index, journal, limits } = options;
  const plan = planRetention(index.segments, journal.oldest.name, { limits, nowMs: options.retentionClock.now() });
  if (plan.dropThrough === null && plan.dropContentThrough === null) return carried;

  const spending = createSpendingBook();
  for (const sum of carried.spentNanoUsd) spending.add(fromCarriedSum(sum));
  const completeFromMs = await findCompleteFrom(options, plan.dropThrough, carried);
  if (plan.dropThrough !== null) {
    for (const entry of index.removeThrough(plan.dropThrough).entries()) spending.add(entry);
  }
  if (plan.dropContentThrough !== null) index.removeContentThrough(plan.dropContentThrough);
  const next: CarriedForward = {
    droppedThrough: plan.dropThrough ?? carried.droppedThrough,
    contentDroppedThrough: plan.dropContentThrough ?? carried.contentDroppedThrough,
    ...(completeFromMs !== undefined && { completeFromMs }),
    spentNanoUsd: toCarriedSums(spending.entries()),
  };
  // The sums are stored before the files they come from are removed: a crash in between only leaves files to remove.
  await addOperation(journal.batch(), options.toOperation(next));
  await journal.sync();
  await removeDroppedFiles(options, next);
  options.logger?.info('Old generations were dropped', {
    through: next.droppedThrough,
    contentThrough: next.contentDroppedThrough,
  });
  return next;
}
