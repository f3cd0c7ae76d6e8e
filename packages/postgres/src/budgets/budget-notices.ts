import type { SlicedBudget } from '@model-gateway/core';

import type { Notifications } from '../connection/notifications.ts';

interface BudgetNotice extends Omit<SlicedBudget, 'since'> {
  /** The instance that sends it. */
  readonly from: string;
  /** Empty for a budget without a period. */
  readonly since: string;
}

/** Calls back with the budget of each notification of a channel and the instance that has sent it. */
export function listenForBudget(
  notifications: Notifications,
  channel: string,
  hear: (budget: SlicedBudget, from: string) => void,
): () => void {
  return notifications.listen(channel, (payload) => {
    const { from, kind, spenderId, since, includesByok } = JSON.parse(payload) as BudgetNotice;
    hear({ kind, spenderId, since: since === '' ? null : since, includesByok }, from);
  });
}
