import { BUDGET_INTERVALS, type BudgetInterval, type WorkspaceBudget } from '../wire/account.ts';
import { refuseField } from '../wire/fields.ts';

/** The interval of a path. Throws `invalid_request`. */
export function readInterval(text: string | undefined): BudgetInterval {
  const interval = BUDGET_INTERVALS.find((known) => known === text);
  if (interval !== undefined) return interval;
  throw refuseField('interval', `must be one of ${BUDGET_INTERVALS.join(', ')}`);
}

export function intervalOf({ reset_interval: interval }: WorkspaceBudget): BudgetInterval {
  return interval ?? 'lifetime';
}

/**
 * Replaces the budget with the same interval, whose id and time are retained. Throws `invalid_request` unless every
 * budget is larger than all of narrower intervals: a smaller one would make them useless.
 */
export function putBudget(budgets: readonly WorkspaceBudget[], budget: WorkspaceBudget): readonly WorkspaceBudget[] {
  const former = budgets.find((other) => intervalOf(other) === intervalOf(budget));
  const put = former === undefined ? budget : { ...budget, id: former.id, created_at: former.created_at };
  const all = [...budgets.filter((other) => other !== former), put].toSorted((a, b) => widthOf(a) - widthOf(b));
  for (const [index, narrower] of all.entries()) {
    const broader = all[index + 1];
    if (broader === undefined || narrower.limit_usd < broader.limit_usd) continue;
    throw refuseField(
      'limit_usd',
      `the ${intervalOf(narrower)} budget ($${narrower.limit_usd}) must be below the ` +
        `${intervalOf(broader)} budget ($${broader.limit_usd})`,
    );
  }
  return all;
}

function widthOf(budget: WorkspaceBudget): number {
  return BUDGET_INTERVALS.indexOf(intervalOf(budget));
}
