import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import { formatUsd, toUsd } from '../foundation/money.ts';
import type { GenerationRepository, Spent } from '../stores/store.ts';
import type { Budget } from './budgets.ts';

/**
 * Holds the possible cost of calls under way, so that concurrent calls cannot together spend more than a budget allows.
 * One per process; after a crash, the holds and their calls are gone together.
 */
export interface Ledger {
  /**
   * Holds a call's worst case if it fits into all budgets beside what is spent and held, else throws the refusal of the
   * first that it exceeds. `release` or `replace` must follow; a further turn reserves again under the same id.
   * Synchronous where the store sums in memory; while the store cannot sum, no call passes.
   */
  reserve(hold: Hold, budgets: readonly Budget[]): Awaitable<void>;
  /**
   * Releases the held amount, because the call was never made, or is recorded with this cost: that stays held until the
   * sums of every instance include it. A turn of it that waits for its budgets is not let in any more. Does nothing for
   * an unknown call.
   */
  release(id: string, cost?: WorstCase): void;
  /**
   * Leaves what is held for a call to the row of the store that holds the same, of a video job or of lines of a batch.
   * Does nothing for an unknown call.
   */
  handOver(id: string): void;
  /**
   * Call before a generation is appended: resolves after the sums of every instance include it, or cannot be expected
   * to. Undefined where an append does that itself.
   */
  untilCounted(id: string): Promise<void> | undefined;
  /** Replaces the held amount by the cost of a turn. Does nothing for an unknown call. */
  replace(id: string, worst: WorstCase): void;
  /**
   * Holds what a call has cost whose record was lost, whether an amount was held for it or not, until the process ends
   * or a store that counts later has the record after all.
   */
  keepLost(cost: Hold): void;
  heldNanoUsd(): number;
  /** Stops what it does by itself, and returns what it has for calls to come. */
  close(): Promise<void>;
}

export interface LedgerOptions {
  readonly generations: Pick<GenerationRepository, 'spent'>;
  /** Finds what is held when the process starts, for jobs that outlive processes. Called once, on first use. */
  readonly findHolds: () => Awaitable<readonly Hold[]>;
  /** Receives the budget that a call does not fit into. */
  readonly onRefusal?: ((budget: Budget, hold: Hold) => void) | undefined;
}

export function createLedger({ generations, findHolds, onRefusal }: LedgerOptions): Ledger {
  const book = createHoldBook();
  let finding: Promise<void> | undefined;
  let isFound = false;

  const reserve = (hold: Hold, budgets: readonly Budget[]): Awaitable<void> => {
    // Held before the amounts spent are read, so that a concurrent call counts this one.
    const heldBefore = budgets.map(book.heldAgainst);
    book.add(hold);
    const check = (spent: readonly Spent[]): void => {
      const refusal = findRefusal(hold, { budgets, spent, heldBefore });
      if (refusal === undefined) return;
      book.takeBack(hold);
      onRefusal?.(refusal.budget, hold);
      throw refusal.error;
    };
    const spent = budgets.map(({ query }) => generations.spent(query));
    if (areAllKnown(spent)) return check(spent);
    return Promise.all(spent.map((sum) => Promise.resolve(sum))).then(check, (error: unknown) => {
      book.takeBack(hold);
      throw error;
    });
  };

  const adopt = (found: readonly Hold[]): void => {
    for (const hold of found) if (book.of(hold.id) === undefined) book.add(hold);
    isFound = true;
  };
  const find = (): Awaitable<void> => {
    if (finding !== undefined) return finding;
    const found = findHolds();
    if (!(found instanceof Promise)) return adopt(found);
    // The next call after a failure tries again.
    finding = found.then(adopt).finally(() => (finding = undefined));
    return finding;
  };

  return {
    reserve: (hold, budgets) => whenKnown(isFound ? undefined : find(), () => reserve(hold, budgets)),
    release: (id) => void book.release(id),
    replace(id, worst) {
      const [hold] = book.release(id);
      if (hold !== undefined) book.add({ ...hold, ...worst });
    },
    keepLost(cost) {
      book.release(cost.id);
      if (cost.anyNanoUsd > 0) book.add(cost);
    },
    // It is found again by its row only at the next start.
    handOver: () => undefined,
    untilCounted: () => undefined,
    close: () => Promise.resolve(),
    heldNanoUsd: book.totalNanoUsd,
  };
}

function areAllKnown(spent: readonly Awaitable<Spent>[]): spent is readonly Spent[] {
  return spent.every((sum) => !(sum instanceof Promise));
}

interface Refusal {
  readonly budget: Budget;
  readonly error: GatewayError;
}

interface Figures {
  readonly budgets: readonly Budget[];
  /** In the order of the budgets; `heldBefore` too. */
  readonly spent: readonly Spent[];
  readonly heldBefore: readonly number[];
}

function findRefusal(hold: Hold, { budgets, spent, heldBefore }: Figures): Refusal | undefined {
  for (const [index, budget] of budgets.entries()) {
    const worst = budget.includesByok ? hold.anyNanoUsd : hold.creditsNanoUsd;
    // Another account pays at every endpoint of the call.
    if (worst === null) continue;
    const { creditsNanoUsd, byokNanoUsd } = spent[index] ?? { creditsNanoUsd: 0, byokNanoUsd: 0 };
    const spentNanoUsd = creditsNanoUsd + (budget.includesByok ? byokNanoUsd : 0);
    const heldNanoUsd = heldBefore[index] ?? 0;
    const isUsedUp = spentNanoUsd >= budget.limitNanoUsd;
    if (!isUsedUp && spentNanoUsd + heldNanoUsd + worst <= budget.limitNanoUsd) continue;
    return { budget, error: toRefusal(budget, { spentNanoUsd, heldNanoUsd, worstNanoUsd: worst, isUsedUp }) };
  }
  return undefined;
}

/** Why a call does not fit into a budget. */
interface Shortage {
  readonly spentNanoUsd: number;
  readonly heldNanoUsd: number;
  readonly worstNanoUsd: number;
  readonly isUsedUp: boolean;
}

/** The refusal of a call that does not fit into a budget, with the figures. */
export function toRefusal(
  budget: Budget,
  { spentNanoUsd, heldNanoUsd, worstNanoUsd, isUsedUp }: Shortage,
): GatewayError {
  const spent = `${formatUsd(spentNanoUsd)} of ${formatUsd(budget.limitNanoUsd)} is spent`;
  const until = budget.resetsAt === null ? '' : `; it resets at ${budget.resetsAt}`;
  const message = isUsedUp
    ? `${budget.refusal}: ${spent}${until}`
    : `${budget.refusal}: the call may cost up to ${formatUsd(worstNanoUsd)}, ${spent} and ` +
      `${formatUsd(heldNanoUsd)} is held for calls under way; a lower max_tokens costs less${until}`;
  return new GatewayError(budget.code, message, {
    metadata: {
      limit_usd: toUsd(budget.limitNanoUsd),
      spent_usd: toUsd(spentNanoUsd),
      reserved_usd: toUsd(heldNanoUsd),
      required_usd: toUsd(worstNanoUsd),
      ...(budget.resetsAt !== null && { resets_at: budget.resetsAt }),
    },
  });
}

/** What this process holds, by call and by spender. */
export interface HoldBook {
  add(hold: Hold): void;
  /** Removes this one hold of a call that may have several. */
  takeBack(hold: Hold): void;
  /** Removes all holds of a call and returns them; none for an unknown call. */
  release(id: string): readonly Hold[];
  /** All holds of a call; undefined for an unknown one. */
  of(id: string): readonly Hold[] | undefined;
  heldAgainst(budget: Pick<Budget, 'spender' | 'includesByok'>): number;
  totalNanoUsd(): number;
}

interface Sum {
  creditsNanoUsd: number;
  anyNanoUsd: number;
  holds: number;
}

const NONE: readonly Hold[] = [];

export function createHoldBook(): HoldBook {
  const holds = new Map<string, readonly Hold[]>();
  const sums = new Map<string, Sum>();

  const book = ({ spenders, creditsNanoUsd, anyNanoUsd }: Hold, sign: 1 | -1): void => {
    for (const spender of spenders) {
      const sum = sums.get(spender) ?? { creditsNanoUsd: 0, anyNanoUsd: 0, holds: 0 };
      sum.creditsNanoUsd += sign * (creditsNanoUsd ?? 0);
      sum.anyNanoUsd += sign * anyNanoUsd;
      sum.holds += sign;
      if (sum.holds === 0) sums.delete(spender);
      else sums.set(spender, sum);
    }
  };
  return {
    add(hold) {
      const others = holds.get(hold.id);
      holds.set(hold.id, others === undefined ? [hold] : [...others, hold]);
      book(hold, 1);
    },
    takeBack(hold) {
      const held = holds.get(hold.id) ?? NONE;
      // A call that ended while its budgets were read has released it already.
      if (!held.includes(hold)) return;
      const others = held.filter((other) => other !== hold);
      if (others.length === 0) holds.delete(hold.id);
      else holds.set(hold.id, others);
      book(hold, -1);
    },
    release(id) {
      const released = holds.get(id);
      if (released === undefined) return NONE;
      holds.delete(id);
      for (const hold of released) book(hold, -1);
      return released;
    },
    of: (id) => holds.get(id),
    heldAgainst({ spender, includesByok }) {
      const sum = sums.get(spender);
      return (includesByok ? sum?.anyNanoUsd : sum?.creditsNanoUsd) ?? 0;
    },
    totalNanoUsd: () => [...holds.values()].flat().reduce((sum, { anyNanoUsd }) => sum + anyNanoUsd, 0),
  };
}

/** The largest possible cost of a call. Billionths of a dollar. */
export interface WorstCase {
  /** Largest cost at the endpoints that the account pays for; null when there are none. */
  readonly creditsNanoUsd: number | null;
  /** Largest cost at any endpoint. */
  readonly anyNanoUsd: number;
}

/** The amount that is held for one call until its cost is recorded. */
export interface Hold extends WorstCase {
  /** Id of the generation that will contain the cost. */
  readonly id: string;
  /** All principals whose budgets the call counts against. */
  readonly spenders: readonly string[];
}
