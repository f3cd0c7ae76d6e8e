import type { Logger } from '../../foundation/host.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { BudgetSlices, SliceGrant } from '../../stores/store.ts';
import type { Budget } from '../budgets.ts';
import type { HoldBook } from '../ledger.ts';
import { freeOf, minuteOf, recentOf, type Slice, type SlicesByBudget, usedOf } from './slice.ts';

interface SliceRenewalOptions {
  readonly byBudget: SlicesByBudget;
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
/** A budget that has not been asked about for this long is forgotten: its period is over, or its limit is gone. */
const FORGOTTEN_MS = 60 * 60 * 1000;
/** A slice may stay this much larger than what was used lately. */
const SPARE = 4;

/** Writes once a second, in one statement for all slices, what has been counted or is not needed any more. */
export function createSliceRenewal({ byBudget, statements, lease, book, platform }: SliceRenewalOptions) {
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
    if (slice.leasedNanoUsd === 0 && isIdle) byBudget.remove(slice);
    return false;
  };
  const write = async (isEnding: boolean): Promise<void> => {
    const now = platform.monotonicNow();
    // Slices that could not be written stay as they are until the store is back: calls may need them.
    const isDown = statements.isDown() || lease.renewedAt() <= failedAt;
    if (!lease.isValid() || (isDown && !isEnding)) return;
    const changed = [...byBudget.all()].filter((slice) => lookAt(slice, isEnding, now));
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
          if (!byBudget.isEmpty()) schedule();
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
      await Promise.all([...byBudget.all()].map(({ asking }) => asking ?? Promise.resolve()));
      await write(true);
    },
  };
}

/** How long the slices of this instance are its own. */
export interface SliceLease {
  isValid(): boolean;
  /** When the last renewal began that the store has taken, by the monotonic clock. */
  renewedAt(): number;
  /** Renews it now. Rejects while the store is away. */
  renew(): Promise<void>;
  /** Notes that others may have been given what this instance had. */
  lose(): void;
  /** Rises with each loss. */
  epoch(): number;
  stop(): void;
}

interface SliceLeaseOptions {
  readonly slices: Pick<BudgetSlices, 'renew' | 'lifeMs'>;
  readonly platform: Pick<Platform, 'monotonicNow' | 'setTimer'>;
  readonly within: StatementLimit;
  /** Writes again what this instance uses, after a loss. */
  readonly restore: () => Promise<void>;
}

/** A life ends with 60 seconds of an outage and more to spare, however long before it the last renewal was. */
const RENEWALS_A_LIFE = 15;
/** Clocks of two machines may run apart by this share of a life. */
const CLOCK_SHARE = 0.1;
const RETRY_MS = 2000;

/** Begins with the first renewal; from then on renews by itself. */
export function createSliceLease({ slices, platform, within, restore }: SliceLeaseOptions): SliceLease {
  const usableMs = slices.lifeMs * (1 - CLOCK_SHARE);
  let validUntil = -Infinity;
  let renewedAt = -Infinity;
  let epoch = 0;
  let renewing: Promise<void> | undefined;
  let cancel = (): void => undefined;
  let isStopped = false;

  const renewLater = (delayMs: number): void => {
    cancel();
    if (isStopped) return;
    cancel = platform.setTimer(() => {
      renew().catch(() => renewLater(RETRY_MS));
    }, delayMs);
  };
  const renewNow = async (): Promise<void> => {
    // What the store writes happens after this.
    const beganAt = platform.monotonicNow();
    if (!(await within(slices.renew()))) {
      lose();
      await restore();
    }
    validUntil = beganAt + usableMs;
    renewedAt = beganAt;
    renewLater(slices.lifeMs / RENEWALS_A_LIFE);
  };
  const renew = (): Promise<void> => (renewing ??= renewNow().finally(() => (renewing = undefined)));
  const lose = (): void => {
    epoch += 1;
    validUntil = -Infinity;
  };
  return {
    renewedAt: () => renewedAt,
    isValid: () => platform.monotonicNow() < validUntil,
    renew,
    lose,
    epoch: () => epoch,
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

/** Rejects where work at the store takes too long. */
type StatementLimit = <Value>(work: Promise<Value>) => Promise<Value>;

/**
 * The limit is counted in steps, as a timer that is due comes before a response that waits in its socket: a process
 * that was busy, or paused, for longer than the limit has lost one step, and reads before the next.
 */
const STEPS = 16;

/** A store that takes longer than the limit is held to be away. */
export function createStatementLimit({ setTimer }: Pick<Platform, 'setTimer'>, limitMs: number): StatementLimit {
  return (work) =>
    new Promise((resolve, reject) => {
      let cancel = (): void => undefined;
      const wait = (steps: number): void => {
        if (steps === 0) reject(new Error('The store did not respond in time'));
        else cancel = setTimer(() => wait(steps - 1), limitMs / STEPS);
      };
      wait(STEPS);
      work.then(resolve, reject).finally(() => cancel());
    });
}

/** The slices were lost while the store was asked; asking again may help. */
export class LostSlicesError extends Error {
  override readonly name = 'LostSlicesError';
}

export interface Granted extends SliceGrant {
  /** What this instance and the others hold. */
  readonly heldNanoUsd: number;
}

interface Question {
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

interface SliceStatementsOptions {
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

/** A 503 of the store does not contain the reason itself. */
const reasonOf = (error: unknown): string =>
  String(error instanceof Error && error.cause !== undefined ? error.cause : error);
