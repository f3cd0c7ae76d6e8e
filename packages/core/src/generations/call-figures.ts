import { toSpent } from '../stores/kit/spending.ts';
import type { GenerationRecord } from '../stores/store.ts';
import type { Generation } from '../wire/generation.ts';
import { type GenerationStatus, statusOfGeneration } from '../wire/statuses.ts';

/** How often something took how long. */
export interface Histogram {
  /** Upper bounds in seconds, rising. */
  readonly bounds: readonly number[];
  /** How often it was at most the bound and above the one before; the last is for everything beyond. */
  readonly counts: number[];
  sumSeconds: number;
}

/** Sums over calls of one kind to one provider since the start. */
export interface ProviderFigures {
  readonly providerName: string;
  readonly apiType: Generation['api_type'];
  readonly calls: Record<GenerationStatus, number>;
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number;
  cachedTokens: number;
  creditsNanoUsd: number;
  byokNanoUsd: number;
  attemptsOk: number;
  attemptsFailed: number;
  /** Streams that broke off there, and went on elsewhere. */
  streamsContinued: number;
  readonly durations: Histogram;
  /** Times of streamed calls. */
  readonly firstTokens: Histogram;
}

/** Sums for metrics. They grow with the number of providers, not with what is called. */
export interface CallFigures {
  note(record: GenerationRecord): void;
  list(): Iterable<ProviderFigures>;
}

const DURATION_BOUNDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const FIRST_TOKEN_BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createCallFigures(): CallFigures {
  const kinds: ProviderFigures[] = [];
  const figuresOf = (providerName: string, apiType: ProviderFigures['apiType']): ProviderFigures => {
    for (const known of kinds) if (known.providerName === providerName && known.apiType === apiType) return known;
    const figures = createFigures(providerName, apiType);
    kinds.push(figures);
    return figures;
  };
  return {
    note(record) {
      const { generation } = record;
      addCall(figuresOf(generation.provider_name ?? '', generation.api_type), record);
      const attempts = generation.provider_responses ?? [];
      for (const [index, { provider_name: name = '', status, broke_off_after: after }] of attempts.entries()) {
        const asked = figuresOf(name, generation.api_type);
        if (status === 200) asked.attemptsOk += 1;
        else asked.attemptsFailed += 1;
        const goesOn = after !== undefined && attempts.slice(index + 1).some((next) => next.status === 200);
        if (goesOn) asked.streamsContinued += 1;
      }
    },
    list: () => kinds,
  };
}

function addCall(figures: ProviderFigures, { generation, costNanoUsd }: GenerationRecord): void {
  figures.calls[statusOfGeneration(generation)] += 1;
  // A repeated completion has used nothing.
  if (generation.response_cache_source_id !== null) return;
  figures.promptTokens += generation.tokens_prompt ?? 0;
  figures.completionTokens += generation.tokens_completion ?? 0;
  figures.reasoningTokens += generation.native_tokens_reasoning ?? 0;
  figures.cachedTokens += generation.native_tokens_cached ?? 0;
  const spent = toSpent(generation, costNanoUsd);
  figures.creditsNanoUsd += spent.creditsNanoUsd;
  figures.byokNanoUsd += spent.byokNanoUsd;
  if (generation.generation_time !== null) addTo(figures.durations, generation.generation_time / 1000);
  if (generation.streamed === true && generation.latency !== null) {
    addTo(figures.firstTokens, generation.latency / 1000);
  }
}

function addTo(histogram: Histogram, seconds: number): void {
  const { bounds, counts } = histogram;
  const found = bounds.findIndex((bound) => seconds <= bound);
  const at = found === -1 ? bounds.length : found;
  counts[at] = (counts[at] ?? 0) + 1;
  histogram.sumSeconds += seconds;
}

function createFigures(providerName: string, apiType: ProviderFigures['apiType']): ProviderFigures {
  const createHistogram = (bounds: readonly number[]): Histogram => ({
    bounds,
    counts: Array.from({ length: bounds.length + 1 }, () => 0),
    sumSeconds: 0,
  });
  return {
    providerName,
    apiType,
    calls: { ok: 0, failed: 0, cancelled: 0, interrupted: 0 },
    promptTokens: 0,
    completionTokens: 0,
    reasoningTokens: 0,
    cachedTokens: 0,
    creditsNanoUsd: 0,
    byokNanoUsd: 0,
    attemptsOk: 0,
    attemptsFailed: 0,
    streamsContinued: 0,
    durations: createHistogram(DURATION_BOUNDS),
    firstTokens: createHistogram(FIRST_TOKEN_BOUNDS),
  };
}
