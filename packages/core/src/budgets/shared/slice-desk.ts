import type { Awaitable } from '../../foundation/async/awaitable.ts';
import { GatewayError } from '../../foundation/errors.ts';
import type { Logger } from '../../foundation/logger.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { BudgetSlices, SliceGrant } from '../../stores/budget-slices.ts';
import { toRefusal } from '../budget-refusal.ts';
import type { Budget } from '../budget.ts';
import type { HoldBook } from '../hold-book.ts';
import type { SliceLease } from './slice-lease.ts';
import { freeOf, hasRoom, noteUse, recentOf, type Slice, usedOf, type Waiter } from './slice.ts';

/** Lets calls into slices, and asks the store for more where there is no room. */
export interface SliceDesk {
  /** Whether a call may pass at once. */
  isOpen(slice: Slice, budget: Budget, needNanoUsd: number): boolean;
  /** Sets an amount aside for a call, which must take it back. Rejects with a refusal, or a 503 while the store is away. */
  admit(slice: Slice, budget: Budget, needNanoUsd: number): Awaitable<void>;
  /** Asks for more in advance, where a slice is about to be used up. No call waits for it. */
  growEarly(slice: Slice, budget: Budget): void;
  /** Lets calls in that wait for what has become free. */
  noteFree(slice: Slice): void;
  /** Returns to the store what calls do not use at present, because another instance has asked. */
  giveBack(slice: Slice): Promise<void>;
  /** Writes how large slices are from now on. */
  put(slices: readonly Slice[]): Promise<void>;
  /** Whether the store was away a moment ago. */
  isDown(): boolean;
}

export interface SliceDeskOptions {
  readonly slices: BudgetSlices;
  readonly book: HoldBook;
  readonly lease: SliceLease;
  readonly platform: Pick<Platform, 'monotonicNow' | 'setTimer'>;
  readonly within: <Value>(work: Promise<Value>) => Promise<Value>;
  readonly logger: Logger | undefined;
}

const RECALL_LIMIT_MS = 250;
/** A refusal holds for other calls this long. */
const REFUSAL_MS = 250;
/** After a failure, calls are refused this long without asking. */
const DOWN_MS = 500;
const GROW_EVERY_MS = 250;
const GROW_LATER_MS = 2000;
/** A slice begins with room for as many calls as large as the first. */
const FIRST_CALLS = 4;
const MAX_LOSSES = 3;

/** The slices were lost while the store was asked; asking again may help. */
class LostSlicesError extends Error {
  override readonly name = 'LostSlicesError';
}

interface Granted extends SliceGrant {
  /** What this instance and the others hold. */
  readonly heldNanoUsd: number;
}

export function createSliceDesk(options: SliceDeskOptions): SliceDesk {
  const { slices, book, lease, platform, within, logger } = options;
  const now = (): number => platform.monotonicNow();
  let downUntil = -Infinity;
  let isDown = false;

  const noteDown = (error: unknown): void => {
    downUntil = now() + DOWN_MS;
    if (!isDown) logger?.warn('budgets cannot be checked at present', { reason: String(error) });
    isDown = true;
  };
  /** Does one statement about slices: none else about the same begins before it has ended. */
  const during = <Value>(some: readonly Slice[], work: () => Promise<Value>): Promise<Value> => {
    const running = within(work());
    const clear = (): void => some.forEach((slice) => (slice.asking = undefined));
    const ended = running.then(clear, clear);
    for (const slice of some) {
      slice.asking = ended;
      slice.countedMeanwhileNanoUsd = 0;
    }
    return running;
  };

  const ask = async (
    slice: Slice,
    budget: Budget,
    ways: { readonly keepsFree: boolean; readonly recalls: boolean; readonly need: number; readonly want: number },
  ): Promise<Granted> => {
    while (slice.asking !== undefined) await slice.asking;
    const epoch = lease.epoch();
    const used = usedOf(slice, book);
    const keepNanoUsd = Math.max(0, ways.keepsFree ? Math.max(used, slice.leasedNanoUsd) : used);
    const needNanoUsd = Math.max(1, ways.need);
    const request = {
      budget: slice.sliced,
      limitNanoUsd: budget.limitNanoUsd,
      keepNanoUsd,
      needNanoUsd,
      wantNanoUsd: Math.max(needNanoUsd, Math.ceil(ways.want)),
      recalls: ways.recalls,
    };
    slice.writtenNanoUsd = Number.NaN;
    const granted = await during([slice], () => slices.take(request));
    isDown = false;
    if (epoch !== lease.epoch()) throw new LostSlicesError();
    if (granted === null) {
      lease.lose();
      throw new LostSlicesError();
    }
    slice.writtenNanoUsd = granted.sliceNanoUsd;
    slice.leasedNanoUsd = Math.max(0, granted.sliceNanoUsd - slice.countedMeanwhileNanoUsd);
    slice.lastLeasedNanoUsd = slice.leasedNanoUsd;
    slice.limitNanoUsd = budget.limitNanoUsd;
    return { ...granted, heldNanoUsd: granted.heldElsewhereNanoUsd + used };
  };

  /** Lets in those that there is room for, in order. Returns whether there was anyone. */
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
  const letIn = (slice: Slice, { needNanoUsd, admit }: Pick<Waiter, 'needNanoUsd' | 'admit'>): void => {
    slice.earmarkedNanoUsd += needNanoUsd;
    noteUse(slice, needNanoUsd, now());
    admit();
  };

  /** Asks for the first who waits, and before refusing it calls back what other instances do not need. */
  const satisfy = async (slice: Slice, first: Waiter): Promise<void> => {
    const { budget } = first;
    const waiting = slice.waiters.reduce(
      (sum, waiter) => (waiter.budget.limitNanoUsd === budget.limitNanoUsd ? sum + waiter.needNanoUsd : sum),
      0,
    );
    const want = Math.max(waiting, recentOf(slice, now()), FIRST_CALLS * first.needNanoUsd);
    const ways = { keepsFree: false, recalls: true, need: first.needNanoUsd, want };
    const giveUpAt = now() + RECALL_LIMIT_MS;
    let granted: Granted;
    for (let before: Granted | undefined; ; before = granted) {
      slice.givenBackBy.clear();
      granted = await ask(slice, budget, ways);
      if (serve(slice)) return;
      const isAlone = granted.heldNanoUsd === 0;
      if (isAlone || (before !== undefined && areSame(before, granted)) || now() >= giveUpAt) break;
      // What was counted between two looks may have been counted twice in one of them.
      await untilGivenBack(slice, granted.recalledFrom, giveUpAt - now(), platform);
      if (slice.waiters[0] !== first) return;
    }
    refuseThose(slice, budget.limitNanoUsd, granted);
  };
  const refuseThose = (slice: Slice, limitNanoUsd: number, granted: Granted): void => {
    const { availableNanoUsd, spentNanoUsd, heldNanoUsd } = granted;
    const until = now() + REFUSAL_MS;
    slice.refusal = { limitNanoUsd, availableNanoUsd, spentNanoUsd, heldNanoUsd, until };
    const all = slice.waiters;
    slice.waiters = [];
    for (const waiter of all) {
      const refusal = findRemembered(slice, waiter.budget, waiter.needNanoUsd);
      if (refusal !== undefined) waiter.refuse(refusal);
      else if (waiter.needNanoUsd === 0 && waiter.budget.limitNanoUsd === limitNanoUsd) letIn(slice, waiter);
      else slice.waiters.push(waiter);
    }
  };
  const findRemembered = (slice: Slice, budget: Budget, needNanoUsd: number): GatewayError | undefined => {
    const { refusal } = slice;
    if (refusal === undefined || refusal.limitNanoUsd !== budget.limitNanoUsd || now() >= refusal.until) return;
    const { spentNanoUsd, heldNanoUsd, availableNanoUsd } = refusal;
    const isUsedUp = spentNanoUsd >= budget.limitNanoUsd;
    if (!isUsedUp && (needNanoUsd === 0 || needNanoUsd <= availableNanoUsd)) return;
    return toRefusal(budget, { spentNanoUsd, heldNanoUsd, worstNanoUsd: needNanoUsd, isUsedUp });
  };

  /** Attends to those who wait until nobody does. */
  const attend = async (slice: Slice): Promise<void> => {
    if (slice.isServing) return;
    slice.isServing = true;
    let losses = 0;
    try {
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
    } catch (error) {
      noteDown(error);
      const all = slice.waiters;
      slice.waiters = [];
      for (const waiter of all) {
        if (maySpool(slice, waiter.needNanoUsd)) letIn(slice, waiter);
        else waiter.refuse(unavailable(error));
      }
    } finally {
      slice.isServing = false;
    }
  };
  /** While the store is away: as much again as the slice that was there. */
  const maySpool = (slice: Slice, needNanoUsd: number): boolean =>
    slices.whenDown === 'spool' && usedOf(slice, book) + needNanoUsd <= 2 * slice.lastLeasedNanoUsd;

  const isOpen: SliceDesk['isOpen'] = (slice, budget, needNanoUsd) =>
    slice.waiters.length === 0 && lease.isValid() && hasRoom(slice, budget, needNanoUsd, book);

  return {
    isOpen,
    admit(slice, budget, needNanoUsd) {
      const inside = { needNanoUsd, admit: () => undefined };
      if (isOpen(slice, budget, needNanoUsd)) return letIn(slice, inside);
      const refusal = findRemembered(slice, budget, needNanoUsd);
      if (refusal !== undefined) throw refusal;
      if (now() < downUntil) {
        if (maySpool(slice, needNanoUsd)) return letIn(slice, inside);
        throw unavailable(undefined);
      }
      return new Promise((admit, refuse) => {
        slice.waiters.push({ budget, needNanoUsd, admit, refuse });
        void attend(slice);
      });
    },
    growEarly(slice, budget) {
      const at = now();
      if (slice.asking !== undefined || slice.isServing || at < slice.growsAgainAt || at < downUntil) return;
      const wanted = recentOf(slice, at);
      const free = freeOf(slice, book);
      if (free >= wanted / 2) return;
      slice.growsAgainAt = at + GROW_EVERY_MS;
      ask(slice, budget, { keepsFree: true, recalls: false, need: 1, want: wanted - free }).then(
        ({ sliceNanoUsd, availableNanoUsd }) => {
          serve(slice);
          if (availableNanoUsd < wanted || sliceNanoUsd < wanted / 2) slice.growsAgainAt = now() + GROW_LATER_MS;
        },
        (error: unknown) => {
          slice.growsAgainAt = now() + GROW_LATER_MS;
          if (!(error instanceof LostSlicesError)) noteDown(error);
        },
      );
    },
    noteFree(slice) {
      slice.refusal = undefined;
      if (slice.waiters.length > 0 && slice.asking === undefined && lease.isValid()) serve(slice);
    },
    async giveBack(slice) {
      while (slice.asking !== undefined) await slice.asking;
      if (!lease.isValid()) return;
      serve(slice);
      const nanoUsd = Math.max(0, usedOf(slice, book));
      slice.leasedNanoUsd = nanoUsd;
      slice.writtenNanoUsd = Number.NaN;
      if (await during([slice], () => slices.giveBack({ budget: slice.sliced, nanoUsd }))) {
        slice.writtenNanoUsd = nanoUsd;
      } else lease.lose();
    },
    async put(some) {
      const written = some.map((slice) => ({ slice, budget: slice.sliced, nanoUsd: slice.leasedNanoUsd }));
      for (const slice of some) slice.writtenNanoUsd = Number.NaN;
      const isOurs = await during(some, () => slices.put(written.map(({ budget, nanoUsd }) => ({ budget, nanoUsd }))));
      isDown = false;
      if (!isOurs) {
        lease.lose();
        throw new LostSlicesError();
      }
      for (const { slice, nanoUsd } of written) slice.writtenNanoUsd = nanoUsd;
    },
    isDown: () => now() < downUntil,
  };
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

function unavailable(cause: unknown): GatewayError {
  return new GatewayError(
    'provider_overloaded',
    'The budgets of this call cannot be checked at the moment; try again shortly',
    { cause, retryAfterSeconds: 1 },
  );
}
