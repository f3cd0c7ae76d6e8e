import type { Awaitable } from '../../foundation/awaitable.ts';
import { GatewayError } from '../../foundation/errors.ts';
import type { Logger } from '../../foundation/host.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { BudgetSlices, GenerationRepository } from '../../stores/store.ts';
import type { Budget } from '../budgets.ts';
import {
  createHoldBook,
  type Hold,
  type HoldBook,
  type Ledger,
  type LedgerOptions,
  type WorstCase,
} from '../ledger.ts';
import { createSliceAdmission, type SliceAdmission } from './slice-queue.ts';
import {
  createSliceLease,
  createSliceStatements,
  createSliceRenewal,
  createStatementLimit,
  type SliceStatements,
} from './slice-store.ts';
import {
  createSlice,
  createSlicesByBudget,
  noteUse,
  type Slice,
  type SlicesByBudget,
  toSlicedBudget,
  usedOf,
} from './slice.ts';

interface SharedLedgerOptions extends Pick<LedgerOptions, 'onRefusal'> {
  readonly slices: BudgetSlices;
  readonly generations: Pick<GenerationRepository, 'onCounted'>;
  readonly platform: Pick<Platform, 'monotonicNow' | 'setTimer'>;
  readonly logger?: Logger | undefined;
  /** How long a refusal waits for what other instances give back. Default: 250. */
  readonly recallLimitMs?: number | undefined;
}

const STATEMENT_LIMIT_MS = 2500;
const RECALL_LIMIT_MS = 250;

/**
 * The ledger of one of several instances at a store. Each budget is divided into slices: a call that fits into the slice
 * of its instance asks no store, and one that does not waits until the store has granted more. What open video jobs
 * and lines of batches at providers hold is counted by the store.
 */
export function createSharedLedger(options: SharedLedgerOptions): Ledger {
  const { slices, generations, platform, logger, onRefusal, recallLimitMs = RECALL_LIMIT_MS } = options;
  const book = createHoldBook();
  const byBudget = createSlicesByBudget();
  const within = createStatementLimit(platform, STATEMENT_LIMIT_MS);
  const lease = createSliceLease({ slices, platform, within, restore: () => restoreUsed(byBudget, statements, book) });
  const statements: SliceStatements = createSliceStatements({ slices, book, lease, platform, within, logger });
  const { whenDown } = slices;
  const admission = createSliceAdmission({ whenDown, statements, book, lease, platform, recallLimitMs });
  const renewal = createSliceRenewal({ byBudget, statements, lease, book, platform });
  const counted = createCountedHolds({ book, byBudget, admission, platform, generations });
  /** By call, while it waits for room. */
  const waits = new Map<string, { isOver: boolean }>();
  const stopListening = [
    slices.onRecall((budget) => {
      const slice = byBudget.get(budget);
      if (slice !== undefined) admission.giveBack(slice).catch(() => undefined);
    }),
    slices.onGivenBack((budget, instanceId) => {
      const slice = byBudget.get(budget);
      slice?.givenBackBy.add(instanceId);
      slice?.onGivenBack?.();
    }),
  ];

  const sliceOf = (budget: Budget): Slice => {
    const sliced = toSlicedBudget(budget);
    const present = byBudget.get(sliced);
    if (present !== undefined) return present;
    const slice = createSlice(sliced, budget, platform.monotonicNow());
    byBudget.add(slice);
    renewal.begin();
    return slice;
  };
  const reserve = (hold: Hold, budgets: readonly Budget[]): Awaitable<void> => {
    const demands = toDemands(hold, budgets, sliceOf);
    const pass = (): void => {
      book.add(hold);
      for (const { slice, budget } of demands) admission.growEarly(slice, budget);
    };
    if (demands.every(({ slice, budget, needNanoUsd }) => admission.isOpen(slice, budget, needNanoUsd))) {
      const now = platform.monotonicNow();
      for (const { slice, needNanoUsd } of demands) noteUse(slice, needNanoUsd, now);
      return pass();
    }
    const wait = { isOver: false };
    waits.set(hold.id, wait);
    const admitted = (): void => {
      for (const { slice, needNanoUsd } of demands) slice.earmarkedNanoUsd -= needNanoUsd;
      if (!wait.isOver) return pass();
      for (const { slice } of demands) admission.noteFree(slice);
      throw new GatewayError('client_closed_request', 'The call ended while it waited for its budgets');
    };
    const refused = (error: unknown): never => {
      const refusing = demands.find(({ budget }) => error instanceof GatewayError && error.code === budget.code);
      if (refusing !== undefined) onRefusal?.(refusing.budget, hold);
      throw error;
    };
    return admitToAll(demands, admission)
      .then(admitted, refused)
      .finally(() => waits.delete(hold.id));
  };
  /** A client may leave while a further turn waits: what is held for that turn would never be released. */
  const endWait = (id: string): void => {
    const wait = waits.get(id);
    if (wait !== undefined) wait.isOver = true;
  };

  return {
    reserve,
    release(id, cost) {
      endWait(id);
      counted.release(id, cost);
    },
    handOver: counted.leaveToStore,
    untilCounted: counted.until,
    replace(id, worst) {
      const [hold] = book.release(id);
      if (hold === undefined) return;
      book.add({ ...hold, ...worst });
      counted.noteFree(hold.spenders);
    },
    keepLost(cost) {
      endWait(cost.id);
      counted.keepLost(cost);
    },
    heldNanoUsd: book.totalNanoUsd,
    async close() {
      lease.stop();
      await counted.close();
      for (const stop of stopListening) stop();
      // The slices of an instance that cannot return them end with its lease.
      await renewal.end().catch(() => undefined);
    },
  };
}

interface Demand {
  readonly slice: Slice;
  readonly budget: Budget;
  readonly needNanoUsd: number;
}

/** Each slice once, at the smallest limit. */
function toDemands(hold: WorstCase, budgets: readonly Budget[], sliceOf: (budget: Budget) => Slice): readonly Demand[] {
  const demands: Demand[] = [];
  for (const budget of budgets) {
    const needNanoUsd = budget.includesByok ? hold.anyNanoUsd : hold.creditsNanoUsd;
    // Another account pays at every endpoint of the call.
    if (needNanoUsd === null) continue;
    const slice = sliceOf(budget);
    const index = demands.findIndex((other) => other.slice === slice);
    const other = demands[index];
    if (other === undefined) demands.push({ slice, budget, needNanoUsd });
    else if (budget.limitNanoUsd < other.budget.limitNanoUsd) demands[index] = { slice, budget, needNanoUsd };
  }
  return demands;
}

/** Sets the amounts aside in all slices; when one refuses, in none. */
async function admitToAll(demands: readonly Demand[], admission: SliceAdmission): Promise<void> {
  const admissions = demands.map(async ({ slice, budget, needNanoUsd }) => admission.admit(slice, budget, needNanoUsd));
  const results = await Promise.allSettled(admissions);
  const refusal = results.find((result) => result.status === 'rejected');
  if (refusal === undefined) return;
  for (const [index, { slice, needNanoUsd }] of demands.entries()) {
    if (results[index]?.status !== 'fulfilled') continue;
    slice.earmarkedNanoUsd -= needNanoUsd;
    admission.noteFree(slice);
  }
  throw refusal.reason;
}

/** Writes what this instance uses, after others may have been given its slices. */
async function restoreUsed(byBudget: SlicesByBudget, statements: SliceStatements, book: HoldBook): Promise<void> {
  const used: Slice[] = [];
  await Promise.all([...byBudget.all()].map(({ asking }) => asking ?? Promise.resolve()));
  for (const slice of byBudget.all()) {
    slice.leasedNanoUsd = Math.max(0, usedOf(slice, book));
    slice.writtenNanoUsd = 0;
    if (slice.leasedNanoUsd > 0) used.push(slice);
  }
  if (used.length > 0) await statements.put(used);
}

interface CountedHoldsOptions {
  readonly book: HoldBook;
  readonly byBudget: SlicesByBudget;
  readonly admission: Pick<SliceAdmission, 'noteFree'>;
  readonly platform: Pick<Platform, 'setTimer'>;
  readonly generations: Pick<GenerationRepository, 'onCounted'>;
}

/** Moves a hold's amount to the stored total: it may briefly count twice, never not at all. */
interface CountedHolds {
  /** Releases what is held for a call; its cost, if it has one, stays until the store has counted it. */
  release(id: string, cost?: WorstCase): void;
  /** Holds the cost of a call whose append failed, until the store counts it after all. */
  keepLost(cost: Hold): void;
  /** Releases what is held for a call, because the store counts it already. */
  leaveToStore(id: string): void;
  /** Resolves after the store has counted a generation, or could not for some seconds. */
  until(id: string): Promise<void> | undefined;
  /** Lets calls in that wait for what has become free. */
  noteFree(spenders: readonly string[]): void;
  /** Waits a moment for what is not counted yet. */
  close(): Promise<void>;
}

const UNTIL_LIMIT_MS = 10_000;
const CLOSE_LIMIT_MS = 1000;

function createCountedHolds(options: CountedHoldsOptions): CountedHolds {
  const { book, byBudget, admission, platform, generations } = options;
  /** Calls that have been recorded, and not counted. */
  const recorded = new Set<string>();
  /** Calls whose appends failed: a store that only took too long may still write and count them. */
  const lost = new Set<string>();
  /** Calls that were counted before the process that appended them noticed it. */
  const early = new Set<string>();
  const waiting = new Map<string, () => void>();
  let onAllCounted: (() => void) | undefined;

  const noteFree = (spenders: readonly string[]): void => {
    for (const spender of spenders) for (const slice of byBudget.ofSpender(spender)) admission.noteFree(slice);
  };
  /** The store counts it from now on, so the slices become smaller by it. */
  const moveToStore = (holds: readonly Hold[]): void => {
    for (const { spenders, creditsNanoUsd, anyNanoUsd } of holds) {
      for (const slice of spenders.flatMap(byBudget.ofSpender)) {
        const amount = slice.held.includesByok ? anyNanoUsd : (creditsNanoUsd ?? 0);
        slice.leasedNanoUsd = Math.max(0, slice.leasedNanoUsd - amount);
        slice.countedMeanwhileNanoUsd += amount;
      }
    }
  };
  const leaveToStore = (id: string): void => moveToStore(book.release(id));
  const note = (ids: readonly string[]): void => {
    for (const id of ids) {
      waiting.get(id)?.();
      if (recorded.delete(id) || lost.delete(id)) leaveToStore(id);
      else if (book.of(id) !== undefined) early.add(id);
    }
    if (recorded.size === 0) onAllCounted?.();
  };
  const countsLater = generations.onCounted !== undefined;
  const stop = generations.onCounted?.(note);

  return {
    release(id, cost) {
      const holds = book.release(id);
      const [hold] = holds;
      if (hold === undefined) return;
      const isCounted = early.delete(id) || !countsLater;
      if (cost !== undefined) {
        const settled: Hold = { ...hold, creditsNanoUsd: cost.creditsNanoUsd, anyNanoUsd: cost.anyNanoUsd };
        if (isCounted) moveToStore([settled]);
        else if (cost.anyNanoUsd > 0) {
          book.add(settled);
          recorded.add(id);
        }
      }
      noteFree(hold.spenders);
    },
    keepLost(cost) {
      book.release(cost.id);
      if (early.delete(cost.id)) moveToStore([cost]);
      else if (cost.anyNanoUsd > 0) {
        book.add(cost);
        if (countsLater) lost.add(cost.id);
      }
      noteFree(cost.spenders);
    },
    leaveToStore,
    until(id) {
      if (!countsLater) return undefined;
      return new Promise((resolve) => {
        const end = (): void => {
          cancel();
          waiting.delete(id);
          resolve();
        };
        const cancel = platform.setTimer(end, UNTIL_LIMIT_MS);
        waiting.set(id, end);
      });
    },
    noteFree,
    async close() {
      if (recorded.size > 0) {
        await new Promise<void>((resolve) => {
          onAllCounted = resolve;
          platform.setTimer(resolve, CLOSE_LIMIT_MS);
        });
      }
      stop?.();
    },
  };
}
