import type { GenerationStatus } from '../../wire/generation.ts';
import type { GenerationFacets, GenerationFacts, GenerationFilter } from '../generation-queries.ts';
import type { GenerationRecord } from '../store.ts';
import { matchesFilter } from './generation-filter.ts';

/** Counts generations one after the other; the result is read after the last. */
export interface FacetCount {
  add(facts: GenerationFacts, readRecord: () => GenerationRecord): void;
  read(): GenerationFacets;
}

/** Creates the count of what a filter chooses. */
export function createFacetCount(filter: GenerationFilter): FacetCount {
  const { statuses, models, providerNames, principalIds, ...others } = filter;
  const found = {
    statuses: new Map<GenerationStatus, number>(),
    models: new Map<string, number>(),
    providerNames: new Map<string, number>(),
    principalIds: new Map<string, number>(),
  };
  let total = 0;
  return {
    add(facts, readRecord) {
      if (!matchesFilter(facts, others, readRecord)) return;
      const { status, model, providerName, principalId } = facts;
      const isStatus = statuses?.has(status) !== false;
      const isModel = models?.has(model) !== false;
      const isProvider = providerNames === undefined || providerNames.has(providerName ?? '');
      const isPrincipal = principalIds?.has(principalId) !== false;
      if (isModel && isProvider && isPrincipal) count(found.statuses, status);
      if (isStatus && isProvider && isPrincipal) count(found.models, model);
      if (isStatus && isModel && isPrincipal && providerName !== null) count(found.providerNames, providerName);
      if (isStatus && isModel && isProvider) count(found.principalIds, principalId);
      if (isStatus && isModel && isProvider && isPrincipal) total += 1;
    },
    read: () => ({ total, ...found }),
  };
}

function count<Value>(counts: Map<Value, number>, value: Value): void {
  counts.set(value, (counts.get(value) ?? 0) + 1);
}
