import type { Awaitable } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { GenerationRepository, Spent } from '../stores/store.ts';
import type { Budget } from './budget.ts';
import { formatUsd, toUsd } from '../foundation/nano-usd.ts';

/** What a call may cost at most. Billionths of a dollar. */
export interface WorstCase {
  /** At the endpoints that the account pays for; null when there are none. */
  readonly creditsNanoUsd: number | null;
  /** At any endpoint. */
  readonly anyNanoUsd: number;
}

/** What is held for one call until its cost is recorded. */
export interface Hold extends WorstCase {
  /** Id of the generation that will tell the cost. */
  readonly id: string;
  /** Everybody whose budgets it counts against. */
  readonly spenders: readonly string[];
}

/**
 * Remembers what calls under way may cost, so that calls that come at the same time cannot together spend more than
 * there is. One for a process; what a process held when it died is gone with the calls it was held for.
 */
export interface Ledger {
  /**
   * Holds the worst case of a call when it fits into all budgets beside what was spent and what is held; throws the
   * refusal of the first that it does not fit into. `release` or `keep` must follow. A call that goes on, with another
   * turn, reserves again under its id. At once where the store adds up in memory; a store that cannot tell what was
   * spent lets nothing pass.
   */
  reserve(hold: Hold, budgets: readonly Budget[]): Awaitable<void>;
  /** The call is recorded, or has never been made. Does nothing for a call that nothing is held for. */
  release(id: string): void;
  /**
   * From now on this is held instead: the call's record was lost, and so to the end of the process; or a turn of it is
   * over, and what it has cost is known.
   */
  replace(id: string, worst: WorstCase): void;
  /** Everything that is held. */
  heldNanoUsd(): number;
}

export interface LedgerOptions {
  readonly generations: Pick<GenerationRepository, 'spent'>;
  /** What is held already when the process starts: for work that outlives processes. Asked once, when first needed. */
  readonly findHolds: () => Awaitable<readonly Hold[]>;
}

interface Sum {
  creditsNanoUsd: number;
  anyNanoUsd: number;
  holds: number;
}

/** Creates a ledger that holds nothing but what is found. */
export function createLedger({ generations, findHolds }: LedgerOptions): Ledger {
  const holds = new Map<string, readonly Hold[]>();
  const sums = new Map<string, Sum>();
  let finding: Promise<void> | undefined;
  let isFound = false;

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
  const add = (hold: Hold): void => {
    const others = holds.get(hold.id);
    holds.set(hold.id, others === undefined ? [hold] : [...others, hold]);
    book(hold, 1);
  };
  const takeBack = (hold: Hold): void => {
    const others = (holds.get(hold.id) ?? []).filter((other) => other !== hold);
    if (others.length === 0) holds.delete(hold.id);
    else holds.set(hold.id, others);
    book(hold, -1);
  };
  const release = (id: string): void => {
    const released = holds.get(id);
    if (released === undefined) return;
    holds.delete(id);
    for (const hold of released) book(hold, -1);
  };
  const heldAgainst = ({ spender, includesByok }: Budget): number => {
    const sum = sums.get(spender);
    return (includesByok ? sum?.anyNanoUsd : sum?.creditsNanoUsd) ?? 0;
  };

  const reserve = (hold: Hold, budgets: readonly Budget[]): Awaitable<void> => {
    // Held before anybody is asked what was spent: whoever comes in the meantime sees it.
    const heldBefore = budgets.map(heldAgainst);
    add(hold);
    const check = (spent: readonly Spent[]): void => {
      const refusal = findRefusal(hold, { budgets, spent, heldBefore });
      if (refusal === undefined) return;
      takeBack(hold);
      throw refusal;
    };
    const spent = budgets.map(({ query }) => generations.spent(query));
    if (areAllKnown(spent)) return check(spent);
    return Promise.all(spent.map((sum) => Promise.resolve(sum))).then(check, (error: unknown) => {
      takeBack(hold);
      throw error;
    });
  };

  const adopt = (found: readonly Hold[]): void => {
    for (const hold of found) if (!holds.has(hold.id)) add(hold);
    isFound = true;
  };
  const find = (): Awaitable<void> => {
    if (finding !== undefined) return finding;
    const found = findHolds();
    if (!(found instanceof Promise)) return adopt(found);
    // Whoever comes after a failure tries again.
    finding = found.then(adopt).finally(() => (finding = undefined));
    return finding;
  };

  return {
    reserve(hold, budgets) {
      const found = isFound ? undefined : find();
      return found instanceof Promise ? found.then(() => reserve(hold, budgets)) : reserve(hold, budgets);
    },
    release,
    replace(id, worst) {
      const [hold] = holds.get(id) ?? [];
      if (hold === undefined) return;
      release(id);
      add({ ...hold, ...worst });
    },
    heldNanoUsd: () => [...holds.values()].flat().reduce((sum, { anyNanoUsd }) => sum + anyNanoUsd, 0),
  };
}

function areAllKnown(spent: readonly Awaitable<Spent>[]): spent is readonly Spent[] {
  return spent.every((sum) => !(sum instanceof Promise));
}

interface Figures {
  readonly budgets: readonly Budget[];
  /** In the order of the budgets, as is the next. */
  readonly spent: readonly Spent[];
  readonly heldBefore: readonly number[];
}

function findRefusal(hold: Hold, { budgets, spent, heldBefore }: Figures): GatewayError | undefined {
  for (const [index, budget] of budgets.entries()) {
    const worst = budget.includesByok ? hold.anyNanoUsd : hold.creditsNanoUsd;
    // Somebody else pays, wherever the call goes.
    if (worst === null) continue;
    const { creditsNanoUsd, byokNanoUsd } = spent[index] ?? { creditsNanoUsd: 0, byokNanoUsd: 0 };
    const spentNanoUsd = creditsNanoUsd + (budget.includesByok ? byokNanoUsd : 0);
    const heldNanoUsd = heldBefore[index] ?? 0;
    const isUsedUp = spentNanoUsd >= budget.limitNanoUsd;
    if (!isUsedUp && spentNanoUsd + heldNanoUsd + worst <= budget.limitNanoUsd) continue;
    return toRefusal(budget, { spentNanoUsd, heldNanoUsd, worstNanoUsd: worst, isUsedUp });
  }
  return undefined;
}

interface Shortage {
  readonly spentNanoUsd: number;
  readonly heldNanoUsd: number;
  readonly worstNanoUsd: number;
  readonly isUsedUp: boolean;
}

function toRefusal(budget: Budget, { spentNanoUsd, heldNanoUsd, worstNanoUsd, isUsedUp }: Shortage): GatewayError {
  const spent = `${formatUsd(spentNanoUsd)} of ${formatUsd(budget.limitNanoUsd)} is spent`;
  const until = budget.resetsAt === null ? '' : `; it counts anew from ${budget.resetsAt}`;
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
