import { GatewayError } from '../foundation/errors.ts';
import { operation } from '../http/operation.ts';
import type { Provider } from '../providers/provider.ts';
import {
  createAttemptTally,
  type EndpointHistory,
  type HistorySpan,
  isOutage,
  type PastOfProvider,
  readTally,
  type SeenAttempt,
} from '../trials/provider-histories.ts';
import { refuseField, toOpenEnd } from '../wire/fields.ts';
import {
  type FailureKind,
  type ProviderHistory,
  providerHistoryListSchema,
  type ProviderHistoryQuery,
  providerHistoryQuerySchema,
  providerHistorySchema,
  type ProviderLastError,
} from '../wire/providers.ts';
import type { ProviderParts } from './providers.ts';

type NamedHistory = Omit<ProviderHistory['data'], 'endpoints'>;
type NamedProvider = Pick<Provider, 'slug' | 'name'>;

/** The history of a provider; undefined without calls. Calls of which no endpoint was recorded are known by its name. */
function pastOf({ slug, name }: NamedProvider, pasts: readonly PastOfProvider[]): PastOfProvider | undefined {
  return (
    pasts.find((past) => past.slug === slug) ?? pasts.find((past) => past.slug === undefined && past.name === name)
  );
}

/** The history of a provider as it is sent, but for its endpoints. */
function toNamedHistory(
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
function toEndpointHistories(past: PastOfProvider | undefined): ProviderHistory['data']['endpoints'] {
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

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const INTERVAL_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;
/** A day of minutes, a month of hours, four years of days. */
const MAX_BUCKETS = 1500;

/** The whole intervals in which the span of a query lies. Throws `invalid_request` for one without length, or too long. */
function toSpan({ from, to, interval }: ProviderHistoryQuery, nowMs: number): HistorySpan {
  const bucketMs = INTERVAL_MS[interval];
  const end = to ?? toOpenEnd(nowMs, from);
  const toMs = Math.ceil(end / bucketMs) * bucketMs;
  const fromMs = from === undefined ? toMs - Math.max(DAY_MS, bucketMs) : Math.floor(from / bucketMs) * bucketMs;
  if ((from ?? fromMs) >= end) throw refuseField('from', 'must be before to');
  const buckets = (toMs - fromMs) / bucketMs;
  if (buckets > MAX_BUCKETS) {
    throw refuseField('from', `must leave at most ${MAX_BUCKETS} intervals until to, but leaves ${buckets}`);
  }
  return { fromMs, bucketMs, buckets };
}

/** `GET /admin/v1/providers/history`: what became of the calls to each provider, by time. */
export const listProviderHistories = operation<ProviderParts>()({
  query: providerHistoryQuerySchema,
  response: providerHistoryListSchema,
  async run({ query, parts: { providers, providerHistories, platform } }) {
    const span = toSpan(query, platform.now());
    const { fromMs, bucketMs, buckets } = span;
    const histories = await providerHistories.read(span);
    return {
      data: providers.map((provider) => toNamedHistory(provider, pastOf(provider, histories), span)),
      from: new Date(fromMs).toISOString(),
      to: new Date(fromMs + bucketMs * buckets).toISOString(),
      interval: query.interval,
    };
  },
});

/** `GET /admin/v1/providers/{slug}/history`: what became of the calls to a provider, by time and by endpoint. */
export const getProviderHistory = operation<ProviderParts>()({
  params: ['slug'],
  query: providerHistoryQuerySchema,
  response: providerHistorySchema,
  async run({ params: { slug }, query, parts: { providers, providerHistories, platform } }) {
    const provider = providers.find((one) => one.slug === slug);
    if (provider === undefined) throw new GatewayError('not_found', `There is no provider ${slug.slice(0, 100)}`);
    const span = toSpan(query, platform.now());
    const { fromMs, bucketMs, buckets } = span;
    const past = pastOf(provider, await providerHistories.read(span));
    return {
      data: { ...toNamedHistory(provider, past, span), endpoints: toEndpointHistories(past) },
      from: new Date(fromMs).toISOString(),
      to: new Date(fromMs + bucketMs * buckets).toISOString(),
      interval: query.interval,
    };
  },
});
