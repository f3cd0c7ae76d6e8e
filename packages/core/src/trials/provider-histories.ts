import { NANO_PER_USD } from '../foundation/money.ts';
import type { Platform } from '../foundation/platform.ts';
import { findOpenings, type PastResult } from '../routing/health/circuit.ts';
import { takePercentile } from '../stores/kit/aggregates.ts';
import type { AttemptFacts, GenerationRepository, ScannedGeneration, Store } from '../stores/store.ts';
import type { FailureKind, ProviderHistoryFigures } from '../wire/providers.ts';

/** What became of former calls to providers, from the records of calls: it outlives the process. */
export interface ProviderHistories {
  read(span: HistorySpan): Promise<readonly PastOfProvider[]>;
}

/**
 * Pages of a UI ask for the same again and again. What took long is kept for this many times as long, so that readers cost
 * a small part of the time; what took none is never kept, and shows a call as soon as it is recorded.
 */
const KEPT_TIMES = 50;
const MAX_KEPT_MS = 5000;
const KEPT_SPANS = 4;

interface ProviderHistoriesOptions {
  readonly store: { readonly generations: Pick<Store['generations'], 'scan'> };
  readonly platform: Pick<Platform, 'monotonicNow'>;
}

interface Kept {
  readonly histories: Promise<readonly PastOfProvider[]>;
  /** By the monotonic clock; endless until it is known how long adding up took. */
  untilMs: number;
}

/** Creates the histories, which keep what took long to add up for some seconds. */
export function createProviderHistories({ store, platform }: ProviderHistoriesOptions): ProviderHistories {
  const kept = new Map<string, Kept>();
  return {
    read(span) {
      const { fromMs, bucketMs, buckets } = span;
      const key = `${fromMs} ${bucketMs} ${buckets}`;
      const beganMs = platform.monotonicNow();
      const known = kept.get(key);
      if (known !== undefined && known.untilMs > beganMs) return known.histories;
      const histories = readHistories(span, store.generations);
      const entry: Kept = { histories, untilMs: Number.POSITIVE_INFINITY };
      kept.delete(key);
      kept.set(key, entry);
      const end = (): void => {
        const endedMs = platform.monotonicNow();
        entry.untilMs = endedMs + Math.min((endedMs - beganMs) * KEPT_TIMES, MAX_KEPT_MS);
      };
      histories.then(end, () => kept.delete(key));
      for (const oldest of kept.keys()) {
        if (kept.size <= KEPT_SPANS) break;
        kept.delete(oldest);
      }
      return histories;
    },
  };
}

/** Equal intervals side by side. */
export interface HistorySpan {
  readonly fromMs: number;
  readonly bucketMs: number;
  readonly buckets: number;
}

/** An attempt, and when its call began. */
export interface SeenAttempt {
  readonly createdAtMs: number;
  readonly attempt: AttemptFacts;
  readonly verdict: AttemptVerdict;
  readonly generation: ScannedGeneration;
  /** Its place among the attempts of the generation. */
  readonly index: number;
}

/** The calls of a span to one endpoint. */
export interface EndpointHistory {
  readonly providerName: string | null;
  readonly endpointId: string | null;
  readonly model: string;
  readonly total: AttemptTally;
  readonly last: SeenAttempt;
  readonly lastFailure: SeenAttempt | undefined;
}

/** The calls of a span to one provider. */
export interface PastOfProvider {
  /** Undefined where no endpoint was recorded. */
  readonly slug: string | undefined;
  readonly name: string | null;
  readonly total: AttemptTally;
  readonly buckets: readonly AttemptTally[];
  readonly endpoints: readonly EndpointHistory[];
}

interface GatheredEndpoint extends EndpointHistory {
  readonly provider: GatheredProvider;
  readonly results: PastResult[];
  last: SeenAttempt;
  lastFailure: SeenAttempt | undefined;
}

interface GatheredProvider extends PastOfProvider {
  readonly endpoints: GatheredEndpoint[];
}

/** Adds up the attempts of a span by provider and endpoint, at one look at each generation. */
async function readHistories(
  span: HistorySpan,
  generations: Pick<GenerationRepository, 'scan'>,
): Promise<readonly PastOfProvider[]> {
  const { fromMs, bucketMs, buckets } = span;
  const find = createFinder(buckets);
  await generations.scan({ fromMs, toMs: fromMs + bucketMs * buckets }, (generation) => {
    const attempts = generation.readAttempts();
    if (attempts.length === 0) return;
    const { createdAtMs, firstTokenMs, costNanoUsd } = generation.readFacts();
    const bucket = Math.floor((createdAtMs - fromMs) / bucketMs);
    let atMs = createdAtMs;
    for (const [index, attempt] of attempts.entries()) {
      atMs += attempt.latencyMs ?? 0;
      const verdict = classifyAttempt(attempt);
      const seen = { createdAtMs, attempt, verdict, generation, index };
      const endpoint = find.endpoint(seen);
      noteLatest(endpoint, seen);
      const tallied = {
        verdict,
        latencyMs: attempt.latencyMs,
        isStream: firstTokenMs !== null,
        costNanoUsd: index === attempts.length - 1 ? costNanoUsd : 0,
      };
      const { total, provider } = endpoint;
      for (const tally of [total, provider.total, provider.buckets[bucket]]) {
        if (tally !== undefined) addAttempt(tally, tallied);
      }
      if (verdict === 'ok' || isOutage(verdict)) endpoint.results.push({ atMs, isGood: verdict === 'ok' });
    }
  });
  const providers = find.providers();
  for (const { endpoints } of providers) for (const endpoint of endpoints) countOpenings(endpoint, span);
  return providers;
}

/** Finds what was gathered of an attempt's endpoint, or begins to. Ids are shared, so that to look them up costs little. */
function createFinder(buckets: number) {
  const byEndpoint = new Map<string | null, GatheredEndpoint[]>();
  const byProvider = new Map<string, GatheredProvider>();

  const providerOf = ({ endpointId, providerName: name }: AttemptFacts): GatheredProvider => {
    const slug = endpointId === null ? undefined : /^[^:/]*/.exec(endpointId)?.[0];
    const key = slug === undefined ? `name ${name ?? ''}` : `slug ${slug}`;
    let known = byProvider.get(key);
    if (known === undefined) {
      const tallies = Array.from({ length: buckets }, createAttemptTally);
      known = { slug, name, total: createAttemptTally(), buckets: tallies, endpoints: [] };
      byProvider.set(key, known);
    }
    return known;
  };

  return {
    providers: (): readonly GatheredProvider[] => [...byProvider.values()],
    endpoint(seen: SeenAttempt): GatheredEndpoint {
      const { endpointId, providerName, model } = seen.attempt;
      let same = byEndpoint.get(endpointId);
      if (same === undefined) byEndpoint.set(endpointId, (same = []));
      for (const known of same) if (known.model === model && known.providerName === providerName) return known;
      const provider = providerOf(seen.attempt);
      const total = createAttemptTally();
      const endpoint: GatheredEndpoint = {
        provider,
        providerName,
        endpointId,
        model,
        total,
        results: [],
        last: seen,
        lastFailure: undefined,
      };
      same.push(endpoint);
      provider.endpoints.push(endpoint);
      return endpoint;
    },
  };
}

function noteLatest(endpoint: GatheredEndpoint, seen: SeenAttempt): void {
  const { createdAtMs, verdict } = seen;
  if (createdAtMs >= endpoint.last.createdAtMs) endpoint.last = seen;
  const isFailure = verdict !== 'ok' && verdict !== 'refused' && verdict !== 'abandoned';
  if (isFailure && createdAtMs >= (endpoint.lastFailure?.createdAtMs ?? 0)) endpoint.lastFailure = seen;
}

function countOpenings(
  { results, total, provider }: GatheredEndpoint,
  { fromMs, bucketMs, buckets }: HistorySpan,
): void {
  for (const atMs of findOpenings(results)) {
    const place = Math.min(buckets - 1, Math.floor((atMs - fromMs) / bucketMs));
    for (const tally of [total, provider.total, provider.buckets[place]]) if (tally !== undefined) tally.openings += 1;
  }
}

/** What is added up of an attempt. */
export interface TalliedAttempt {
  readonly verdict: AttemptVerdict;
  readonly latencyMs: number | null;
  /** Whether its first output was the first token of a stream. */
  readonly isStream: boolean;
  readonly costNanoUsd: number;
}

/** Sums of some attempts, and the measurements of which percentiles are taken. */
interface AttemptTally {
  ok: number;
  /** The value over all other verdicts; null without any. */
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

function addAttempt(tally: AttemptTally, { verdict, latencyMs, isStream, costNanoUsd }: TalliedAttempt): void {
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
    // Not rounded: who shows it rounds it, and twice is once too often.
    uptime: ok + outages === 0 ? null : (ok / (ok + outages)) * 100,
    latency_p50: takePercentile(latency, 0.5),
    latency_p95: takePercentile(latency, 0.95),
    first_token_p50: takePercentile(firstToken, 0.5),
    first_token_p95: takePercentile(firstToken, 0.95),
    cost: costNanoUsd / NANO_PER_USD,
    openings,
  };
}

/** What an attempt shows about its provider. */
type AttemptVerdict = 'ok' | 'refused' | 'abandoned' | FailureKind;

const CLIENT_CLOSED = 499;
/** Upstream's statuses for what concerns the gateway's own account; the caller gets a 502 for them. */
const ACCOUNT_STATUSES: ReadonlySet<number | null> = new Set([401, 402, 403]);

/** Reads the verdict from what was recorded of an attempt. */
function classifyAttempt({ status, errorCode, errorType }: AttemptFacts): AttemptVerdict {
  if (errorCode === null) return 'ok';
  if (errorCode === CLIENT_CLOSED) return 'abandoned';
  if (status === 200) return 'broke_off';
  if (errorType === 'rate_limit_exceeded') return 'rate_limited';
  if (errorType === 'not_found') return 'not_found';
  if (errorType === 'timeout') return 'timeout';
  if (errorCode < 500) return 'refused';
  if (ACCOUNT_STATUSES.has(status)) return 'key_refused';
  return status === null ? 'connection' : 'server_error';
}

/** Whether it counts as an outage, as in routing: a limit of the rate does not. */
export function isOutage(verdict: AttemptVerdict): boolean {
  return verdict !== 'ok' && verdict !== 'refused' && verdict !== 'abandoned' && verdict !== 'rate_limited';
}
