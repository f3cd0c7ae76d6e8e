import type { Platform } from '../../foundation/platform.ts';
import type { HoldBook } from '../hold-book.ts';
import { findRefusal, rememberRefusal } from './remembered-refusal.ts';
import type { SliceLease } from './slice-lease.ts';
import { type Granted, LostSlicesError, type SliceStatements } from './slice-statements.ts';
import { hasRoom, noteUse, recentOf, type Slice, type Waiter } from './slice.ts';

export interface SliceQueueOptions {
  readonly statements: SliceStatements;
  readonly book: HoldBook;
  readonly lease: SliceLease;
  readonly platform: Pick<Platform, 'monotonicNow' | 'setTimer'>;
  /** Called with those who wait, when the store cannot be asked. */
  readonly giveUp: (slice: Slice, waiters: readonly Waiter[], error: unknown) => void;
}

/** Those who wait for room in a slice, in order. */
export interface SliceQueue {
  /** Lets a call in. */
  letIn(slice: Slice, waiter: Pick<Waiter, 'needNanoUsd' | 'admit'>): void;
  /** Lets in those that there is room for. Returns whether there was anyone. */
  serve(slice: Slice): boolean;
  /** Attends to those who wait until nobody does. Never rejects. */
  attend(slice: Slice): Promise<void>;
}

/** How long a refusal may take. */
const RECALL_LIMIT_MS = 250;
/** A slice begins with room for as many calls as large as the first. */
const FIRST_CALLS = 4;
const MAX_LOSSES = 3;

export function createSliceQueue({ statements, book, lease, platform, giveUp }: SliceQueueOptions): SliceQueue {
  const letIn: SliceQueue['letIn'] = (slice, { needNanoUsd, admit }) => {
    slice.earmarkedNanoUsd += needNanoUsd;
    noteUse(slice, needNanoUsd, platform.monotonicNow());
    admit();
  };
  const serve = (slice: Slice): boolean => {
    let isAny = false;
    for (let [first] = slice.waiters; first !== undefined; [first] = slice.waiters) {
      if (!hasRoom(slice, first.budget, first.needNanoUsd, book)) break;
      slice.waiters.shift();
      letIn(slice, first);
      isAny = true;
    }
    return isAny;
  };
  const refuseThose = (slice: Slice, limitNanoUsd: number, granted: Granted): void => {
    const now = platform.monotonicNow();
    rememberRefusal(slice, limitNanoUsd, granted, now);
    const all = slice.waiters;
    slice.waiters = [];
    for (const waiter of all) {
      const refusal = findRefusal(slice, waiter.budget, waiter.needNanoUsd, now);
      if (refusal !== undefined) waiter.refuse(refusal);
      else if (waiter.needNanoUsd === 0 && waiter.budget.limitNanoUsd === limitNanoUsd) letIn(slice, waiter);
      else slice.waiters.push(waiter);
    }
  };

  /** Asks for the first who waits, and before refusing it calls back what other instances do not need. */
  const satisfy = async (slice: Slice, first: Waiter): Promise<void> => {
    const { budget, needNanoUsd } = first;
    const wantNanoUsd = wantedFor(slice, first, platform.monotonicNow());
    const giveUpAt = platform.monotonicNow() + RECALL_LIMIT_MS;
    let granted: Granted;
    for (let before: Granted | undefined; ; before = granted) {
      slice.givenBackBy.clear();
      granted = await statements.ask(slice, budget, { keepsFree: false, recalls: true, needNanoUsd, wantNanoUsd });
      if (serve(slice)) return;
      const isAlone = granted.heldNanoUsd === 0;
      const leftMs = giveUpAt - platform.monotonicNow();
      if (isAlone || leftMs <= 0 || (before !== undefined && areSame(before, granted))) break;
      // What is counted between two looks may count twice in one of them, so the last two have to agree.
      await untilGivenBack(slice, granted.recalledFrom, leftMs, platform);
      if (slice.waiters[0] !== first) return;
    }
    refuseThose(slice, budget.limitNanoUsd, granted);
  };
  const attendAll = async (slice: Slice): Promise<void> => {
    let losses = 0;
    for (let [first] = slice.waiters; first !== undefined; [first] = slice.waiters) {
      while (slice.asking !== undefined) await slice.asking;
      if (!lease.isValid()) await lease.renew();
      if (serve(slice)) continue;
      try {
        await satisfy(slice, first);
      } catch (error) {
        losses += 1;
        if (!(error instanceof LostSlicesError) || losses > MAX_LOSSES) throw error;
      }
    }
  };
  const attend: SliceQueue['attend'] = async (slice) => {
    if (slice.isServing) return;
    slice.isServing = true;
    try {
      await attendAll(slice);
    } catch (error) {
      const all = slice.waiters;
      slice.waiters = [];
      giveUp(slice, all, error);
    } finally {
      slice.isServing = false;
    }
    // One may have come after the last look, and left again as somebody was at work.
    if (slice.waiters.length > 0) await attend(slice);
  };
  return { letIn, serve, attend };
}

/** Enough for those who wait under the same limit, or for as long as what was used lately lasted. */
function wantedFor(slice: Slice, { budget, needNanoUsd }: Waiter, now: number): number {
  let waiting = 0;
  for (const waiter of slice.waiters) {
    if (waiter.budget.limitNanoUsd === budget.limitNanoUsd) waiting += waiter.needNanoUsd;
  }
  return Math.max(waiting, recentOf(slice, now), FIRST_CALLS * needNanoUsd);
}

const areSame = (one: Granted, other: Granted): boolean =>
  one.spentNanoUsd === other.spentNanoUsd && one.heldNanoUsd === other.heldNanoUsd;

/** Waits for the instances that were asked, or as long as a refusal may take. */
function untilGivenBack(
  slice: Slice,
  instances: number,
  limitMs: number,
  { setTimer }: Pick<Platform, 'setTimer'>,
): Promise<void> {
  if (slice.givenBackBy.size >= instances) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      slice.onGivenBack = undefined;
      resolve();
    };
    const cancel = setTimer(end, limitMs);
    slice.onGivenBack = () => {
      if (slice.givenBackBy.size >= instances) end();
    };
  });
}
