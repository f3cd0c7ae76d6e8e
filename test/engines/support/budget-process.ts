/**
 * An instance in a process of its own, which a test may kill: `node budget-process.ts URL LIFE_MS`. It makes as many
 * calls at once as each message says, and sends back how many were admitted.
 */
import process from 'node:process';

import { type BudgetedCall, openBudgetInstance } from './budget-instance.ts';

/** What a test asks of it. */
export interface CallsToMake extends Pick<BudgetedCall, 'budgets' | 'worst' | 'cost' | 'key'> {
  readonly calls: number;
  /** How long each takes. */
  readonly callMs: number;
}

const [url = '', lifeMs = ''] = process.argv.slice(2);
const instance = await openBudgetInstance({ url, budgets: { lifeMs: Number(lifeMs), patienceMs: 0 } });

process.on('message', ({ calls, callMs, ...call }: CallsToMake) => {
  const during = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, callMs));
  const made = Array.from({ length: calls }, () => instance.call({ ...call, during }));
  void Promise.all(made).then((admitted) => process.send?.(admitted.filter(Boolean).length));
});
process.send?.('ready');
