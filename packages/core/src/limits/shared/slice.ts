import type { GatewayError } from '../../foundation/errors.ts';
import type { SlicedBudget } from '../../stores/store.ts';
import type { Budget } from '../budgets.ts';
import type { HoldBook } from '../ledger.ts';

/** A call that waits for room in a budget. */
export interface Waiter {
  readonly budget: Budget;
  readonly needNanoUsd: number;
  readonly admit: () => void;
  readonly refuse: (error: GatewayError) => void;
}

/** The last refusal of the store, which holds for a moment without asking again. */
interface RememberedRefusal {
  readonly limitNanoUsd: number;
  readonly availableNanoUsd: number;
  readonly spentNanoUsd: number;
  readonly heldNanoUsd: number;
  readonly until: number;
}

/** What this instance has of a budget. Times are those of the monotonic clock. */
export interface Slice {
  readonly key: string;
  readonly sliced: SlicedBudget;
  /** The same budget as the book of holds knows it. */
  readonly held: Pick<Budget, 'spender' | 'includesByok'>;
  /** The amount that other instances leave to this one; smaller than what is used only after a call cost too much. */
  leasedNanoUsd: number;
  /** The amount in the store; NaN while that is not known. */
  writtenNanoUsd: number;
  /** The limit under which it was granted. */
  limitNanoUsd: number;
  /** What was left of the limit when the store was last asked. */
  availableNanoUsd: number;
  /** The largest amount since the store was last asked, for calls while it is away. */
  lastLeasedNanoUsd: number;
  /** Set aside for calls that wait for further budgets. */
  earmarkedNanoUsd: number;
  /** What was counted by the store since the statement under way began. */
  countedMeanwhileNanoUsd: number;
  waiters: Waiter[];
  /** The statement about it that is under way; it never rejects. */
  asking: Promise<void> | undefined;
  isServing: boolean;
  /** Instances that have given something back since the last recall. */
  givenBackBy: Set<string>;
  onGivenBack: (() => void) | undefined;
  refusal: RememberedRefusal | undefined;
  /** What was admitted lately: each amount fades within some seconds. */
  recentNanoUsd: number;
  lastNeedNanoUsd: number;
  usedAt: number;
  /** No more is asked for in advance until then. */
  growsAgainAt: number;
}

/** The key of a budget among the slices. */
function sliceKeyOf({ kind, spenderId, since, includesByok }: SlicedBudget): string {
  return `${kind} ${since ?? ''} ${includesByok ? 'any' : 'credits'} ${spenderId}`;
}

/** The budget of a call as all instances name it. */
export function toSlicedBudget({ query, includesByok }: Pick<Budget, 'query' | 'includesByok'>): SlicedBudget {
  const { principalId, userId, workspaceId, since = null } = query;
  if (principalId !== undefined) return { kind: 'key', spenderId: principalId, since, includesByok };
  if (userId !== undefined) return { kind: 'member', spenderId: userId, since, includesByok };
  if (workspaceId !== undefined) return { kind: 'workspace', spenderId: workspaceId, since, includesByok };
  return { kind: 'account', spenderId: '', since, includesByok };
}

export function createSlice(sliced: SlicedBudget, held: Slice['held'], now: number): Slice {
  return {
    key: sliceKeyOf(sliced),
    sliced,
    held,
    leasedNanoUsd: 0,
    writtenNanoUsd: 0,
    limitNanoUsd: 0,
    availableNanoUsd: 0,
    lastLeasedNanoUsd: 0,
    earmarkedNanoUsd: 0,
    countedMeanwhileNanoUsd: 0,
    waiters: [],
    asking: undefined,
    isServing: false,
    givenBackBy: new Set(),
    onGivenBack: undefined,
    refusal: undefined,
    recentNanoUsd: 0,
    lastNeedNanoUsd: 0,
    usedAt: now,
    growsAgainAt: 0,
  };
}

/** What the calls of this instance use of a slice: held, or spent and not counted by the store yet. */
export function usedOf({ held, earmarkedNanoUsd }: Slice, book: Pick<HoldBook, 'heldAgainst'>): number {
  return book.heldAgainst(held) + earmarkedNanoUsd;
}

export function freeOf(slice: Slice, book: Pick<HoldBook, 'heldAgainst'>): number {
  return slice.leasedNanoUsd - usedOf(slice, book);
}

/** Whether a call may use a slice as it is. A slice of a higher limit than that of the call says nothing about it. */
export function hasRoom(
  slice: Slice,
  { limitNanoUsd }: Pick<Budget, 'limitNanoUsd'>,
  needNanoUsd: number,
  book: Pick<HoldBook, 'heldAgainst'>,
): boolean {
  if (limitNanoUsd < slice.limitNanoUsd) return false;
  // Beside a slice of any size, less than the limit is spent, and a call that costs nothing may pass.
  return needNanoUsd === 0 ? slice.leasedNanoUsd > 0 : freeOf(slice, book) >= needNanoUsd;
}

const FADE_MS = 2000;

/** What was admitted in about the last two seconds, in whole nano-dollars: the store holds no others. */
export function recentOf({ recentNanoUsd, usedAt }: Slice, now: number): number {
  return Math.ceil(recentNanoUsd * Math.exp((usedAt - now) / FADE_MS));
}

const MINUTE_MS = 60_000;
/** A budget is wide where what is left of it would last for so many minutes. */
const WIDE_MINUTES = 50;

/**
 * What the calls of a minute take at the recent pace, which a slice of a wide budget has room for, so that an outage of the
 * store is none of its calls. 0 for other budgets, of which instances leave each other more.
 */
export function minuteOf(slice: Slice, now: number): number {
  const minute = (MINUTE_MS / FADE_MS) * Math.max(recentOf(slice, now), slice.lastNeedNanoUsd);
  return minute * WIDE_MINUTES <= slice.availableNanoUsd ? minute : 0;
}

export function noteUse(slice: Slice, needNanoUsd: number, now: number): void {
  slice.recentNanoUsd = recentOf(slice, now) + needNanoUsd;
  slice.lastNeedNanoUsd = needNanoUsd;
  slice.usedAt = now;
}

/** Finds the slices of an instance by budget and by spender. */
export interface SlicesByBudget {
  get(sliced: SlicedBudget): Slice | undefined;
  add(slice: Slice): void;
  remove(slice: Slice): void;
  ofSpender(spender: string): readonly Slice[];
  all(): Iterable<Slice>;
  isEmpty(): boolean;
}

const NONE: readonly Slice[] = [];

export function createSlicesByBudget(): SlicesByBudget {
  const byKey = new Map<string, Slice>();
  const bySpender = new Map<string, readonly Slice[]>();
  return {
    get: (sliced) => byKey.get(sliceKeyOf(sliced)),
    add(slice) {
      byKey.set(slice.key, slice);
      const { spender } = slice.held;
      bySpender.set(spender, [...(bySpender.get(spender) ?? NONE), slice]);
    },
    remove(slice) {
      byKey.delete(slice.key);
      const { spender } = slice.held;
      const others = (bySpender.get(spender) ?? NONE).filter((other) => other !== slice);
      if (others.length === 0) bySpender.delete(spender);
      else bySpender.set(spender, others);
    },
    ofSpender: (spender) => bySpender.get(spender) ?? NONE,
    all: () => byKey.values(),
    isEmpty: () => byKey.size === 0,
  };
}
