import type { GuardrailHitsRow } from '../../stores/rows.ts';
import type { GuardrailDaysQuery, GuardrailHitsRepository } from '../../stores/store.ts';

/** What guardrails did on some days, oldest first. Where a store is not asked that narrowly, of all that it lists. */
export async function listHitDays(
  hits: GuardrailHitsRepository,
  query: GuardrailDaysQuery,
): Promise<readonly GuardrailHitsRow[]> {
  if (hits.listDays !== undefined) return hits.listDays(query);
  const { from = '', to, guardrailId: wanted } = query;
  return (await hits.list()).filter(
    ({ day, guardrailId }) =>
      day >= from && (to === undefined || day <= to) && (wanted === undefined || guardrailId === wanted),
  );
}
