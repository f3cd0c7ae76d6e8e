import type { Logger } from '../../foundation/host.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { BudgetSlices, SliceGrant } from '../../stores/store.ts';
import type { Budget } from '../budget.ts';
import type { HoldBook } from '../hold-book.ts';
import type { SliceLease } from './slice-lease.ts';
import { type Slice, usedOf } from './slice.ts';
import type { StatementLimit } from './statement-limit.ts';

/** The slices were lost while the store was asked; asking again may help. */
export class LostSlicesError extends Error {
  override readonly name = 'LostSlicesError';
}

export interface Granted extends SliceGrant {
  /** What this instance and the others hold. */
  readonly heldNanoUsd: number;
}

export interface Question {
  /** Whether what is free remains, so that calls can use it meanwhile. */
  readonly keepsFree: boolean;
  readonly recalls: boolean;
  readonly needNanoUsd: number;
  readonly wantNanoUsd: number;
}

/** What an instance asks the store about its slices: one statement at a time about each. */
export interface SliceStatements {
  /** Makes a slice larger where there is room. Rejects with `LostSlicesError`, or while the store is away. */
  ask(slice: Slice, budget: Budget, question: Question): Promise<Granted>;
  /** Writes how large slices are from now on. */
  put(slices: readonly Slice[]): Promise<void>;
  /** Returns to the store what calls do not use, because another instance has asked. */
  giveBack(slice: Slice): Promise<void>;
  /** Notes that the store is away, for a moment. */
  noteDown(error: unknown): void;
  isDown(): boolean;
}

export interface SliceStatementsOptions {
  readonly slices: BudgetSlices;
  readonly book: HoldBook;
  readonly lease: SliceLease;
  readonly platform: Pick<Platform, 'monotonicNow'>;
  /** Rejects where a statement takes too long. */
  readonly within: StatementLimit;
  readonly logger: Logger | undefined;
}

/** After a failure, nothing is asked for calls for this long. */
const DOWN_MS = 500;

export function createSliceStatements(options: SliceStatementsOptions): SliceStatements {
  const { slices, book, lease, platform, within, logger } = options;
  let downUntil = -Infinity;
  let isLogged = false;

  /**
   * Does one statement about slices with all that follows from it: nothing else about the same begins before.
   */
  const during = <Value>(some: readonly Slice[], work: () => Promise<Value>): Promise<Value> => {
    for (const slice of some) {
      slice.countedMeanwhileNanoUsd = 0;
      slice.writtenNanoUsd = Number.NaN;
    }
    const running = work();
    const clear = (): void => some.forEach((slice) => (slice.asking = undefined));
    const ended = running.then(clear, clear);
    for (const slice of some) slice.asking = ended;
    return running;
  };
  const logOnce = (error: unknown): void => {
    if (!isLogged) logger?.warn('budgets cannot be checked at present', { reason: reasonOf(error) });
    isLogged = true;
  };
  const send = async <Value>(work: Promise<Value>): Promise<Value> => {
    try {
      const value = await within(work);
      isLogged = false;
      return value;
    } catch (error) {
      logOnce(error);
      throw error;
    }
  };
  const lose = (): never => {
    lease.lose();
    throw new LostSlicesError();
  };

  return {
    async ask(slice, budget, { keepsFree, recalls, ...amounts }) {
      while (slice.asking !== undefined) await slice.asking;
      const epoch = lease.epoch();
      const used = Math.max(0, usedOf(slice, book));
      const keepNanoUsd = keepsFree ? Math.max(used, slice.leasedNanoUsd) : used;
      // The store may give the rest to others, though its response gets lost.
      if (!keepsFree) slice.leasedNanoUsd = Math.min(slice.leasedNanoUsd, keepNanoUsd);
      const needNanoUsd = Math.max(1, amounts.needNanoUsd);
      const wantNanoUsd = Math.max(needNanoUsd, Math.ceil(amounts.wantNanoUsd));
      const { limitNanoUsd } = budget;
      const request = { budget: slice.sliced, limitNanoUsd, keepNanoUsd, needNanoUsd, wantNanoUsd, recalls };
      return during([slice], async () => {
        const granted = await send(slices.take(request));
        // This process may have been paused: what it was granted belongs to others by now.
        if (epoch !== lease.epoch() || !lease.isValid()) throw new LostSlicesError();
        if (granted === null) return lose();
        slice.writtenNanoUsd = granted.sliceNanoUsd;
        slice.leasedNanoUsd = Math.max(0, granted.sliceNanoUsd - slice.countedMeanwhileNanoUsd);
        slice.lastLeasedNanoUsd = slice.leasedNanoUsd;
        slice.limitNanoUsd = limitNanoUsd;
        slice.availableNanoUsd = granted.availableNanoUsd;
        return { ...granted, heldNanoUsd: granted.heldElsewhereNanoUsd + used };
      });
    },
    put(some) {
      const written = some.map((slice) => ({ slice, budget: slice.sliced, nanoUsd: slice.leasedNanoUsd }));
      return during(some, async () => {
        const isOurs = await send(slices.put(written.map(({ budget, nanoUsd }) => ({ budget, nanoUsd }))));
        if (!isOurs) lose();
        for (const { slice, nanoUsd } of written) slice.writtenNanoUsd = nanoUsd;
      });
    },
    giveBack(slice) {
      const nanoUsd = Math.max(0, usedOf(slice, book));
      slice.leasedNanoUsd = nanoUsd;
      return during([slice], async () => {
        if (!(await send(slices.giveBack({ budget: slice.sliced, nanoUsd })))) lose();
        slice.writtenNanoUsd = nanoUsd;
      });
    },
    noteDown(error) {
      downUntil = platform.monotonicNow() + DOWN_MS;
      logOnce(error);
    },
    isDown: () => platform.monotonicNow() < downUntil,
  };
}

/** A 503 of the store says nothing of the reason itself. */
const reasonOf = (error: unknown): string =>
  String(error instanceof Error && error.cause !== undefined ? error.cause : error);
