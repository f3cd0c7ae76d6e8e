import { NANO_PER_USD } from '../foundation/money.ts';
import type { GenerationFacts } from '../stores/generation-queries.ts';
import { takePercentile } from '../stores/kit/aggregates.ts';
import { toSpent } from '../stores/kit/spending.ts';
import type { ActivitySum } from '../stores/store.ts';
import type { Metric } from '../wire/analytics.ts';
import type { Generation } from '../wire/generation.ts';

interface Sums {
  requests: number;
  errors: number;
  cancelled: number;
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number;
  cachedTokens: number;
  /** Prompt tokens of calls whose providers tell how many of them came from a cache. */
  cachablePromptTokens: number;
  byokRequests: number;
  guarded: number;
  cachedResponses: number;
  costNanoUsd: number;
  creditsNanoUsd: number;
  byokNanoUsd: number;
}

/** What metrics are read from: sums, and the measurements of which means and percentiles are taken. */
export interface MetricTally {
  readonly sums: Sums;
  readonly latencies: number[];
  readonly speeds: number[];
}

export const createMetricTally = (): MetricTally => ({ sums: { ...NOTHING }, latencies: [], speeds: [] });

const NOTHING: Readonly<Sums> = {
  requests: 0,
  errors: 0,
  cancelled: 0,
  promptTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  cachedTokens: 0,
  cachablePromptTokens: 0,
  byokRequests: 0,
  guarded: 0,
  cachedResponses: 0,
  costNanoUsd: 0,
  creditsNanoUsd: 0,
  byokNanoUsd: 0,
};

interface MetricReader {
  /** Whether the sums of days have it. */
  readonly isSummed: boolean;
  /** Whether the facts of a generation do not have it. */
  readonly needsRecord: boolean;
  /** Null where nothing was measured. */
  readonly read: (tally: MetricTally) => number | null;
}

const OF_SUMS = { isSummed: true, needsRecord: false };
const OF_SUMS_OR_RECORDS = { isSummed: true, needsRecord: true };
const OF_FACTS = { isSummed: false, needsRecord: false };
const OF_RECORDS = { isSummed: false, needsRecord: true };
type Source = Omit<MetricReader, 'read'>;

const sumOf = (source: Source, read: (sums: Sums) => number): MetricReader => ({
  ...source,
  read: ({ sums }) => read(sums),
});
const shareOf = (source: Source, part: keyof Sums, whole: keyof Sums = 'requests'): MetricReader => ({
  ...source,
  read: ({ sums }) => (sums[whole] === 0 ? null : sums[part] / sums[whole]),
});
const meanOf = (what: 'latencies' | 'speeds'): MetricReader => ({
  ...OF_FACTS,
  read({ [what]: values }) {
    if (values.length === 0) return null;
    // In order, so that the sum does not depend on the order in which a store shows them.
    let sum = 0;
    for (const value of Float64Array.from(values).toSorted()) sum += value;
    return sum / values.length;
  },
});
const percentileOf = (what: 'latencies' | 'speeds', part: number): MetricReader => ({
  ...OF_FACTS,
  read: ({ [what]: values }) => takePercentile(Float64Array.from(values), part),
});
const creditsUsd = sumOf(OF_SUMS_OR_RECORDS, ({ creditsNanoUsd }) => creditsNanoUsd / NANO_PER_USD);

/** How each metric is read. */
export const METRIC_READERS: Readonly<Record<Metric, MetricReader>> = {
  request_count: sumOf(OF_SUMS, ({ requests }) => requests),
  error_count: sumOf(OF_FACTS, ({ errors }) => errors),
  cancelled_count: sumOf(OF_FACTS, ({ cancelled }) => cancelled),
  tokens_total: sumOf(OF_SUMS, ({ promptTokens, completionTokens }) => promptTokens + completionTokens),
  tokens_prompt: sumOf(OF_SUMS, ({ promptTokens }) => promptTokens),
  tokens_completion: sumOf(OF_SUMS, ({ completionTokens }) => completionTokens),
  reasoning_tokens: sumOf(OF_SUMS_OR_RECORDS, ({ reasoningTokens }) => reasoningTokens),
  cached_tokens: sumOf(OF_FACTS, ({ cachedTokens }) => cachedTokens),
  byok_request_count: sumOf(OF_RECORDS, ({ byokRequests }) => byokRequests),
  guardrail_invoked_count: sumOf(OF_RECORDS, ({ guarded }) => guarded),
  response_cached_count: sumOf(OF_RECORDS, ({ cachedResponses }) => cachedResponses),
  total_usage: sumOf(OF_SUMS, ({ costNanoUsd }) => costNanoUsd / NANO_PER_USD),
  credits_usage: creditsUsd,
  byok_usage: sumOf(OF_SUMS_OR_RECORDS, ({ byokNanoUsd }) => byokNanoUsd / NANO_PER_USD),
  openrouter_usage: creditsUsd,
  avg_latency: meanOf('latencies'),
  p50_latency: percentileOf('latencies', 0.5),
  p90_latency: percentileOf('latencies', 0.9),
  p99_latency: percentileOf('latencies', 0.99),
  avg_throughput: meanOf('speeds'),
  p50_throughput: percentileOf('speeds', 0.5),
  p90_throughput: percentileOf('speeds', 0.9),
  p99_throughput: percentileOf('speeds', 0.99),
  error_rate: shareOf(OF_FACTS, 'errors'),
  cache_hit_rate: shareOf(OF_FACTS, 'cachedTokens', 'cachablePromptTokens'),
  guardrail_invoked_rate: shareOf(OF_RECORDS, 'guarded'),
  response_cached_rate: shareOf(OF_RECORDS, 'cachedResponses'),
};

/** Adds many generations of a day at once: what `isSummed` says. */
export function addSum({ sums }: MetricTally, sum: ActivitySum): void {
  sums.requests += sum.requests;
  sums.promptTokens += sum.promptTokens;
  sums.completionTokens += sum.completionTokens;
  sums.reasoningTokens += sum.reasoningTokens;
  sums.costNanoUsd += sum.creditsNanoUsd + sum.byokNanoUsd;
  sums.creditsNanoUsd += sum.creditsNanoUsd;
  sums.byokNanoUsd += sum.byokNanoUsd;
}

/** Adds a generation. Without its record, what `needsRecord` says is left out. */
export function addGeneration(tally: MetricTally, facts: GenerationFacts, record: Generation | null): void {
  const { sums, latencies, speeds } = tally;
  const { status, cachedTokens, promptTokens } = facts;
  sums.requests += 1;
  if (status === 'failed' || status === 'interrupted') sums.errors += 1;
  if (status === 'cancelled') sums.cancelled += 1;
  sums.promptTokens += promptTokens ?? 0;
  sums.completionTokens += facts.completionTokens ?? 0;
  if (cachedTokens !== null) {
    sums.cachedTokens += cachedTokens;
    sums.cachablePromptTokens += promptTokens ?? 0;
  }
  sums.costNanoUsd += facts.costNanoUsd;
  if (facts.latencyMs !== null) latencies.push(facts.latencyMs);
  if (facts.tokensPerSecond !== null) speeds.push(facts.tokensPerSecond);
  if (record !== null) addRecord(sums, record, facts);
}

function addRecord(sums: Sums, record: Generation, { costNanoUsd }: GenerationFacts): void {
  sums.reasoningTokens += record.native_tokens_reasoning ?? 0;
  if (record.is_byok) sums.byokRequests += 1;
  const spent = toSpent(record, costNanoUsd);
  sums.creditsNanoUsd += spent.creditsNanoUsd;
  sums.byokNanoUsd += spent.byokNanoUsd;
  if ((record.pipeline?.length ?? 0) > 0) sums.guarded += 1;
  if (record.response_cache_source_id !== null) sums.cachedResponses += 1;
}
