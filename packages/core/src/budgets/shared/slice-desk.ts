import type { Awaitable } from '../../foundation/awaitable.ts';
import { GatewayError } from '../../foundation/errors.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { BudgetSlices } from '../../stores/store.ts';
import type { Budget } from '../budget.ts';
import type { HoldBook } from '../hold-book.ts';
import { findRefusal } from './remembered-refusal.ts';
import type { SliceLease } from './slice-lease.ts';
import { createSliceQueue } from './slice-queue.ts';
import { LostSlicesError, type SliceStatements } from './slice-statements.ts';
import { freeOf, hasRoom, minuteOf, recentOf, type Slice, usedOf } from './slice.ts';

/** Lets calls into slices, and asks the store for more where there is no room. */
export interface SliceDesk {
  /** Whether a call may pass at once. */
  isOpen(slice: Slice, budget: Budget, needNanoUsd: number): boolean;
  /** Sets an amount aside for a call, which must take it back. Fails with a refusal, or a 503 while the store is away. */
  admit(slice: Slice, budget: Budget, needNanoUsd: number): Awaitable<void>;
  /** Asks for more in advance, where a slice is about to be used up. No call waits for it. */
  growEarly(slice: Slice, budget: Budget): void;
  /** Lets calls in that wait for what has become free. */
  noteFree(slice: Slice): void;
  /** Returns what calls do not use at present, because another instance has asked. */
  giveBack(slice: Slice): Promise<void>;
}

export interface SliceDeskOptions {
  readonly whenDown: BudgetSlices['whenDown'];
  readonly statements: SliceStatements;
  readonly book: HoldBook;
  readonly lease: SliceLease;
  readonly platform: Pick<Platform, 'monotonicNow' | 'setTimer'>;
}

const GROW_EVERY_MS = 250;
/** Where there is little left, or the store is away. */
const GROW_LATER_MS = 2000;

export function createSliceDesk({ whenDown, statements, book, lease, platform }: SliceDeskOptions): SliceDesk {
  /** While the store is away: as much again as the slice that was there last. */
  const maySpool = (slice: Slice, needNanoUsd: number): boolean =>
    whenDown === 'spool' && usedOf(slice, book) + needNanoUsd <= 2 * slice.lastLeasedNanoUsd;
  const queue = createSliceQueue({
    statements,
    book,
    lease,
    platform,
    giveUp(slice, waiters, error) {
      statements.noteDown(error);
      for (const waiter of waiters) {
        if (maySpool(slice, waiter.needNanoUsd)) queue.letIn(slice, waiter);
        else waiter.refuse(unavailable(error));
      }
    },
  });
  const isOpen: SliceDesk['isOpen'] = (slice, budget, needNanoUsd) =>
    slice.waiters.length === 0 && lease.isValid() && hasRoom(slice, budget, needNanoUsd, book);

  return {
    isOpen,
    admit(slice, budget, needNanoUsd) {
      const inside = { needNanoUsd, admit: () => undefined };
      if (isOpen(slice, budget, needNanoUsd)) return queue.letIn(slice, inside);
      const refusal = findRefusal(slice, budget, needNanoUsd, platform.monotonicNow());
      if (refusal !== undefined) throw refusal;
      if (statements.isDown()) {
        if (maySpool(slice, needNanoUsd)) return queue.letIn(slice, inside);
        throw unavailable(undefined);
      }
      return new Promise((admit, refuse) => {
        slice.waiters.push({ budget, needNanoUsd, admit, refuse });
        void queue.attend(slice);
      });
    },
    growEarly(slice, budget) {
      const now = platform.monotonicNow();
      if (slice.asking !== undefined || slice.isServing || now < slice.growsAgainAt || !lease.isValid()) return;
      // Twice a minute, so that a whole one is left when it is asked for again.
      const wanted = Math.max(recentOf(slice, now), 2 * minuteOf(slice, now));
      const free = freeOf(slice, book);
      if (free >= wanted / 2) return;
      slice.growsAgainAt = now + GROW_EVERY_MS;
      const question = { keepsFree: true, recalls: false, needNanoUsd: 1, wantNanoUsd: wanted - free };
      statements.ask(slice, budget, question).then(
        ({ availableNanoUsd }) => {
          queue.serve(slice);
          if (availableNanoUsd < wanted) slice.growsAgainAt = platform.monotonicNow() + GROW_LATER_MS;
        },
        (error: unknown) => {
          slice.growsAgainAt = platform.monotonicNow() + GROW_LATER_MS;
          if (!(error instanceof LostSlicesError)) statements.noteDown(error);
        },
      );
    },
    noteFree(slice) {
      slice.refusal = undefined;
      if (slice.waiters.length > 0 && slice.asking === undefined && lease.isValid()) queue.serve(slice);
    },
    async giveBack(slice) {
      while (slice.asking !== undefined) await slice.asking;
      if (!lease.isValid()) return;
      queue.serve(slice);
      await statements.giveBack(slice);
    },
  };
}

function unavailable(cause: unknown): GatewayError {
  return new GatewayError(
    'provider_overloaded',
    'The budgets of this call cannot be checked at the moment; try again shortly',
    { cause, retryAfterSeconds: 1 },
  );
}
