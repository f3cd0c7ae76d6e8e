import { workspaceIdOfDefault } from '../../account/account.ts';
import { toNanoUsd } from '../../catalog/nano-usd.ts';
import { periodStart } from '../../limits/budgets.ts';
import type { GenerationRecord } from '../../stores/store.ts';
import type { Guardrail } from '../../wire/guardrails.ts';
import type { OverBudget } from './dry-run-tally.ts';

/** Tries the budget of a guardrail on calls that come newest first, although it counts from the oldest on. */
export interface BudgetTrial {
  add(record: GenerationRecord, isTouched: boolean): void;
  /** The calls that would not have fitted, as far as their costs tell: a real call has to fit in at its worst case. */
  refused(): Iterable<OverBudget>;
}

/** Null for a guardrail without a budget. That of a workspace counts all its calls together, others each key's. */
export function createBudgetTrial(guardrail: Guardrail): BudgetTrial | null {
  const { id, limit_usd: limitUsd, reset_interval: interval, include_byok_in_budgets: includesByok } = guardrail;
  if (limitUsd === null) return null;
  const limitNanoUsd = toNanoUsd(limitUsd);
  const isOfWorkspace = workspaceIdOfDefault(id) !== undefined;
  const periods = new Map<string, OverBudget[]>();
  return {
    add({ generation, principalId, costNanoUsd }, isTouched) {
      if (generation.is_byok && !includesByok) return;
      const since = periodStart(interval, Date.parse(generation.created_at)) ?? '';
      const key = `${since} ${isOfWorkspace ? (generation.workspace_id ?? '') : principalId}`;
      const { id: generationId, model, created_at, cost_known } = generation;
      const call = { generation: { id: generationId, model, created_at, cost_known }, costNanoUsd };
      const calls = periods.get(key);
      if (calls === undefined) periods.set(key, [{ call, isTouched }]);
      else calls.push({ call, isTouched });
    },
    *refused() {
      for (const calls of periods.values()) {
        let spent = 0;
        for (let at = calls.length - 1; at >= 0; at -= 1) {
          const refused = calls[at] as OverBudget;
          if (spent >= limitNanoUsd) yield refused;
          else spent += refused.call.costNanoUsd;
        }
      }
    },
  };
}
