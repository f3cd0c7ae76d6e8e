import type { Awaitable } from '../../foundation/awaitable.ts';
import { GatewayError } from '../../foundation/errors.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { BudgetSlices } from '../../stores/store.ts';
import type { Budget } from '../budgets.ts';
import { type HoldBook, toRefusal } from '../ledger.ts';
import { type Granted, LostSlicesError, type SliceLease, type SliceStatements } from './slice-store.ts';
import { freeOf, hasRoom, minuteOf, noteUse, recentOf, type Slice, usedOf, type Waiter } from './slice.ts';

interface SliceQueueOptions {
  readonly statements: SliceStatements;
  readonly book: HoldBook;
  readonly lease: SliceLease;
  readonly platform: Pick<Platform, 'monotonicNow' | 'setTimer'>;
  /** How long a refusal waits for what other instances give back. */
  readonly recallLimitMs: number;
  /** Called with those who wait, when the store cannot be asked. */
  readonly giveUp: (slice: Slice, waiters: readonly Waiter[], error: unknown) => void;
}

/** Calls that wait for room in a slice, in order. */
interface SliceQueue {
  /** Lets a call in. */
  letIn(slice: Slice, waiter: Pick<Waiter, 'needNanoUsd' | 'admit'>): void;
  /** Admits calls that there is room for. Returns whether any call waited. */
  serve(slice: Slice): boolean;
  /** Serves the waiting calls until none is left. Never rejects. */
  attend(slice: Slice): Promise<void>;
}

/** A slice begins with room for as many calls as large as the first. */
const FIRST_CALLS = 4;
const MAX_LOSSES = 3;

function createSliceQueue(options: SliceQueueOptions): SliceQueue {
  const { statements, book, lease, platform, recallLimitMs, giveUp } = options;
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
    const giveUpAt = platform.monotonicNow() + recallLimitMs;
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
    // A call may have come after the last look, and left again because the queue was at work.
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

/** A refusal of the store holds for other calls this long. */
const REFUSAL_MS = 250;

function rememberRefusal(slice: Slice, limitNanoUsd: number, granted: Granted, now: number): void {
  const { availableNanoUsd, spentNanoUsd, heldNanoUsd } = granted;
  slice.refusal = { limitNanoUsd, availableNanoUsd, spentNanoUsd, heldNanoUsd, until: now + REFUSAL_MS };
}

/** The refusal of a call by what the store said a moment ago; undefined where that does not tell. */
function findRefusal(slice: Slice, budget: Budget, needNanoUsd: number, now: number): GatewayError | undefined {
  const { refusal } = slice;
  if (refusal === undefined || refusal.limitNanoUsd !== budget.limitNanoUsd || now >= refusal.until) return undefined;
  const { spentNanoUsd, heldNanoUsd, availableNanoUsd } = refusal;
  const isUsedUp = spentNanoUsd >= budget.limitNanoUsd;
  if (!isUsedUp && (needNanoUsd === 0 || needNanoUsd <= availableNanoUsd)) return undefined;
  return toRefusal(budget, { spentNanoUsd, heldNanoUsd, worstNanoUsd: needNanoUsd, isUsedUp });
}

/** Lets calls into slices, and asks the store for more where there is no room. */
export interface SliceAdmission {
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

interface SliceAdmissionOptions extends Omit<SliceQueueOptions, 'giveUp'> {
  readonly whenDown: BudgetSlices['whenDown'];
}

const GROW_EVERY_MS = 250;
/** Where there is little left, or the store is away. */
const GROW_LATER_MS = 2000;

export function createSliceAdmission({ whenDown, ...options }: SliceAdmissionOptions): SliceAdmission {
  const { statements, book, lease, platform } = options;
  /** While the store is away: as much again as the slice that was there last. */
  const maySpool = (slice: Slice, needNanoUsd: number): boolean =>
    whenDown === 'spool' && usedOf(slice, book) + needNanoUsd <= 2 * slice.lastLeasedNanoUsd;
  const queue = createSliceQueue({
    ...options,
    giveUp(slice, waiters, error) {
      statements.noteDown(error);
      for (const waiter of waiters) {
        if (maySpool(slice, waiter.needNanoUsd)) queue.letIn(slice, waiter);
        else waiter.refuse(unavailable(error));
      }
    },
  });
  const isOpen: SliceAdmission['isOpen'] = (slice, budget, needNanoUsd) =>
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
