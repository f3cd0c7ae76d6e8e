import type { GenerationFilter, HistogramQuery, HistogramBucket } from '../generation-queries.ts';
import type { GenerationRecord } from '../store.ts';
import type { GenerationFacts } from './generation-facts.ts';
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
    (filter.sessionId === undefined || filter.sessionId === facts.sessionId) &&
    filter.statuses?.has(facts.status) !== false &&
    facts.costNanoUsd >= (filter.minCostNanoUsd ?? 0) &&
    facts.costNanoUsd <= (filter.maxCostNanoUsd ?? Number.POSITIVE_INFINITY) &&
    (filter.conditions === undefined || meetsConditions(readRecord(), filter.conditions))
  );
}

/** Makes the empty spans of a histogram. */
export function createHistogram({ startMs, bucketMs, buckets }: HistogramQuery): HistogramBucket[] {
  return Array.from({ length: buckets }, (_, index) => ({
    startMs: startMs + index * bucketMs,
    requests: 0,
    failed: 0,
    cancelled: 0,
    interrupted: 0,
    costNanoUsd: 0,
  }));
}

/** Adds a generation to its bucket, if it matches the filter. */
export function addToHistogram(
  histogram: readonly HistogramBucket[],
  facts: GenerationFacts,
  { filter, startMs, bucketMs }: HistogramQuery,
  readRecord: () => GenerationRecord,
): void {
  const bucket = histogram[Math.floor((facts.createdAtMs - startMs) / bucketMs)];
  if (bucket === undefined || !matchesFilter(facts, filter, readRecord)) return;
  bucket.requests += 1;
  if (facts.status !== 'ok') bucket[facts.status] += 1;
  bucket.costNanoUsd += facts.costNanoUsd;
}
