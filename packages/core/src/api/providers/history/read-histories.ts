import { findOpenings, type PastResult } from '../../../routing/health/circuit.ts';
import type { AttemptFacts, GenerationRepository, ScannedGeneration } from '../../../stores/store.ts';
import { addAttempt, type AttemptTally, createAttemptTally } from './attempt-tally.ts';
import { type AttemptVerdict, classifyAttempt, isOutage } from './classify-attempt.ts';

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
export async function readHistories(
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
