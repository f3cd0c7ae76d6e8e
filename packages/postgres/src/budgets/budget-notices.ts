import type { SlicedBudget } from '@model-gateway/core';

import { fromColumnId, toColumnId } from '../connection/column-text.ts';
import type { Notifications } from '../connection/notifications.ts';

interface BudgetNotice extends Omit<SlicedBudget, 'since'> {
  /** The instance that sends it. */
  readonly from: string;
  /** Empty for a budget without a period. */
  readonly since: string;
}

/** Tells what the statements of the database tell by themselves where it takes `LISTEN`. */
export function tellOfBudget(
  notifications: Notifications,
  channel: string,
  { from, budget }: { readonly from: string; readonly budget: SlicedBudget },
): void {
  const { kind, spenderId, since, includesByok } = budget;
  const notice: BudgetNotice = { from, kind, spenderId: toColumnId(spenderId), since: since ?? '', includesByok };
  notifications.tell(channel, JSON.stringify(notice));
}

/** Calls back with the budget of each notification of a channel and the instance that has sent it. */
export function listenForBudget(
  notifications: Notifications,
  channel: string,
  hear: (budget: SlicedBudget, from: string) => void,
): () => void {
  return notifications.listen(channel, (payload) => {
    const { from, kind, spenderId, since, includesByok } = JSON.parse(payload) as BudgetNotice;
    hear({ kind, spenderId: fromColumnId(spenderId), since: since === '' ? null : since, includesByok }, from);
  });
}
