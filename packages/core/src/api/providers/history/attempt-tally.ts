import { NANO_PER_USD } from '../../../catalog/nano-usd.ts';
import { takePercentile } from '../../../stores/kit/aggregates.ts';
import type { FailureKind, ProviderHistoryFigures } from '../../../wire/providers.ts';
import { type AttemptVerdict, isOutage } from './classify-attempt.ts';

/** What is added up of an attempt. */
export interface TalliedAttempt {
  readonly verdict: AttemptVerdict;
  readonly latencyMs: number | null;
  /** Whether its first output was the first token of a stream. */
  readonly isStream: boolean;
  readonly costNanoUsd: number;
}

/** Sums of some attempts, and the measurements of which percentiles are taken. */
export interface AttemptTally {
  ok: number;
  /** Of all other verdicts; null without any. */
  others: Map<AttemptVerdict, number> | null;
  costNanoUsd: number;
  openings: number;
  readonly latencies: number[];
  readonly firstTokens: number[];
}

/** Creates an empty tally. */
export const createAttemptTally = (): AttemptTally => ({
  ok: 0,
  others: null,
  costNanoUsd: 0,
  openings: 0,
  latencies: [],
  firstTokens: [],
});

export function addAttempt(tally: AttemptTally, { verdict, latencyMs, isStream, costNanoUsd }: TalliedAttempt): void {
  if (verdict === 'ok') tally.ok += 1;
  else {
    tally.others ??= new Map();
    tally.others.set(verdict, (tally.others.get(verdict) ?? 0) + 1);
  }
  tally.costNanoUsd += costNanoUsd;
  if (latencyMs === null || (verdict !== 'ok' && verdict !== 'broke_off')) return;
  tally.latencies.push(latencyMs);
  if (isStream) tally.firstTokens.push(latencyMs);
}

/** Reads the figures of what was added. */
export function readTally({
  ok,
  others,
  costNanoUsd,
  openings,
  latencies,
  firstTokens,
}: AttemptTally): ProviderHistoryFigures {
  const failures: Partial<Record<FailureKind, number>> = {};
  let failed = 0;
  let outages = 0;
  for (const [verdict, count] of others ?? []) {
    if (verdict === 'ok' || verdict === 'refused' || verdict === 'abandoned') continue;
    failures[verdict] = count;
    failed += count;
    if (isOutage(verdict)) outages += count;
  }
  const refused = others?.get('refused') ?? 0;
  const abandoned = others?.get('abandoned') ?? 0;
  const latency = Float64Array.from(latencies);
  const firstToken = Float64Array.from(firstTokens);
  return {
    calls: ok + refused + abandoned + failed,
    ok,
    failed,
    failures,
    refused,
    abandoned,
    uptime: ok + outages === 0 ? null : Math.round((ok / (ok + outages)) * 10_000) / 100,
    latency_p50: takePercentile(latency, 0.5),
    latency_p95: takePercentile(latency, 0.95),
    first_token_p50: takePercentile(firstToken, 0.5),
    first_token_p95: takePercentile(firstToken, 0.95),
    cost: costNanoUsd / NANO_PER_USD,
    openings,
  };
}
