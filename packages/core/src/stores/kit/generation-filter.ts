import { type GenerationStatus, statusOfGeneration } from '../../wire/generations/generation-status.ts';
import type { GenerationFilter, HistogramQuery, HistogramBucket } from '../generation-queries.ts';
import type { GenerationRecord } from '../store.ts';

/** The facts about a record that filters and histograms use: small enough to be in memory for every generation. */
export interface GenerationFacts {
  readonly createdAtMs: number;
  readonly model: string;
  readonly providerName: string | null;
  readonly sessionId: string | null;
  readonly status: GenerationStatus;
  readonly principalId: string;
  readonly costNanoUsd: number;
  readonly isCostKnown: boolean;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** Null for what had no first token: whole responses, and calls that failed before. */
  readonly firstTokenMs: number | null;
  readonly durationMs: number | null;
  readonly attempts: number;
}

export function toGenerationFacts({ generation, principalId, costNanoUsd }: GenerationRecord): GenerationFacts {
  return {
    createdAtMs: Date.parse(generation.created_at),
    model: generation.model,
    providerName: generation.provider_name,
    sessionId: generation.session_id,
    status: statusOfGeneration(generation),
    principalId,
    costNanoUsd,
    isCostKnown: generation.cost_known,
    promptTokens: generation.tokens_prompt,
    completionTokens: generation.tokens_completion,
    firstTokenMs: generation.streamed === true && (generation.tokens_completion ?? 0) > 0 ? generation.latency : null,
    durationMs: generation.generation_time,
    attempts: generation.provider_responses?.length ?? 0,
  };
}

/** Whether a generation matches the filter. */
export function matchesFilter(facts: GenerationFacts, filter: GenerationFilter): boolean {
  return (
    facts.createdAtMs >= (filter.createdFromMs ?? Number.NEGATIVE_INFINITY) &&
    facts.createdAtMs < (filter.createdBeforeMs ?? Number.POSITIVE_INFINITY) &&
    filter.models?.has(facts.model) !== false &&
    (filter.providerNames === undefined || filter.providerNames.has(facts.providerName ?? '')) &&
    filter.principalIds?.has(facts.principalId) !== false &&
    (filter.sessionId === undefined || filter.sessionId === facts.sessionId) &&
    filter.statuses?.has(facts.status) !== false &&
    facts.costNanoUsd >= (filter.minCostNanoUsd ?? 0) &&
    facts.costNanoUsd <= (filter.maxCostNanoUsd ?? Number.POSITIVE_INFINITY)
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
): void {
  const bucket = histogram[Math.floor((facts.createdAtMs - startMs) / bucketMs)];
  if (bucket === undefined || !matchesFilter(facts, filter)) return;
  bucket.requests += 1;
  if (facts.status !== 'ok') bucket[facts.status] += 1;
  bucket.costNanoUsd += facts.costNanoUsd;
}
