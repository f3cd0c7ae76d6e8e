import type { GenerationFacts, GenerationFilter } from '../generation-queries.ts';
import type { GenerationRecord } from '../store.ts';
import { meetsConditions } from './meets-conditions.ts';

/** Whether a generation matches the filter. Its record is read only where conditions are about more than its facts. */
export function matchesFilter(
  facts: GenerationFacts,
  filter: GenerationFilter,
  readRecord: () => GenerationRecord,
): boolean {
  return (
    facts.createdAtMs >= (filter.createdFromMs ?? Number.NEGATIVE_INFINITY) &&
    facts.createdAtMs < (filter.createdBeforeMs ?? Number.POSITIVE_INFINITY) &&
    filter.models?.has(facts.model) !== false &&
    (filter.providerNames === undefined || filter.providerNames.has(facts.providerName ?? '')) &&
    filter.principalIds?.has(facts.principalId) !== false &&
    (filter.userIds === undefined || filter.userIds.has(facts.userId ?? '')) &&
    (filter.apps === undefined || filter.apps.has(facts.app ?? '')) &&
    (filter.sessionId === undefined || filter.sessionId === (facts.sessionId ?? '')) &&
    filter.statuses?.has(facts.status) !== false &&
    facts.costNanoUsd >= (filter.minCostNanoUsd ?? 0) &&
    facts.costNanoUsd <= (filter.maxCostNanoUsd ?? Number.POSITIVE_INFINITY) &&
    (filter.conditions === undefined || meetsConditions(facts, filter.conditions, readRecord))
  );
}
