import type { Provider } from '../../../providers/provider.ts';
import {
  createAttemptTally,
  type EndpointHistory,
  type HistorySpan,
  isOutage,
  type PastOfProvider,
  readTally,
  type SeenAttempt,
} from '../../../trials/provider-histories.ts';
import type { FailureKind, ProviderHistory, ProviderLastError } from '../../../wire/providers.ts';

type NamedHistory = Omit<ProviderHistory['data'], 'endpoints'>;
type NamedProvider = Pick<Provider, 'slug' | 'name'>;

/** That of a provider; undefined without calls. Calls of which no endpoint was recorded are known by its name. */
export function pastOf({ slug, name }: NamedProvider, pasts: readonly PastOfProvider[]): PastOfProvider | undefined {
  return (
    pasts.find((past) => past.slug === slug) ?? pasts.find((past) => past.slug === undefined && past.name === name)
  );
}

/** The history of a provider as it is sent, but for its endpoints. */
export function toNamedHistory(
  { slug, name }: NamedProvider,
  past: PastOfProvider | undefined,
  { fromMs, bucketMs, buckets }: HistorySpan,
): NamedHistory {
  const empty = createAttemptTally();
  const tallies = past?.buckets ?? Array.from({ length: buckets }, () => empty);
  return {
    slug,
    name,
    totals: readTally(past?.total ?? empty),
    ...toLast(past?.endpoints ?? []),
    buckets: tallies.map((tally, place) => ({ start: toIso(fromMs + place * bucketMs), ...readTally(tally) })),
  };
}

/** The endpoints of a provider, those with the most calls first. */
export function toEndpointHistories(past: PastOfProvider | undefined): ProviderHistory['data']['endpoints'] {
  return (past?.endpoints ?? [])
    .map((endpoint) => ({
      endpoint_id: endpoint.endpointId,
      model: endpoint.model,
      totals: readTally(endpoint.total),
      ...toLast([endpoint]),
    }))
    .toSorted((one, other) => other.totals.calls - one.totals.calls);
}

function toLast(
  endpoints: readonly EndpointHistory[],
): Pick<NamedHistory, 'last_called_at' | 'last_call_failed' | 'last_error'> {
  const last = latestOf(endpoints.map((endpoint) => endpoint.last));
  const failure = latestOf(endpoints.flatMap((endpoint) => endpoint.lastFailure ?? []));
  return {
    last_called_at: last === undefined ? null : toIso(last.createdAtMs),
    last_call_failed: last === undefined ? null : toResult(last),
    last_error: failure === undefined ? null : toLastError(failure),
  };
}

function toResult({ verdict }: SeenAttempt): boolean | null {
  if (isOutage(verdict)) return true;
  return verdict === 'ok' ? false : null;
}

function latestOf(seen: readonly SeenAttempt[]): SeenAttempt | undefined {
  let latest: SeenAttempt | undefined;
  for (const one of seen) if (latest === undefined || one.createdAtMs > latest.createdAtMs) latest = one;
  return latest;
}

function toLastError({ createdAtMs, attempt, verdict, generation, index }: SeenAttempt): ProviderLastError {
  const record = generation.readRecord().generation;
  return {
    at: toIso(createdAtMs),
    generation_id: record.id,
    model: attempt.model,
    kind: verdict as FailureKind,
    code: attempt.errorCode ?? 0,
    error_type: attempt.errorType ?? '',
    status: attempt.status,
    message: record.provider_responses?.[index]?.error?.message ?? null,
  };
}

const toIso = (ms: number): string => new Date(ms).toISOString();
