import { GatewayError } from '../foundation/errors.ts';
import type { Engine, Exposition, MetricFamily, MetricSample } from '../foundation/host.ts';
import { NANO_PER_USD } from '../foundation/money.ts';
import type { CacheCauseFigures } from '../generations/cache-doctor/cache-examiner.ts';
import type { Histogram, ProviderFigures } from '../generations/call-figures.ts';
import { publicOperation } from '../http/operation.ts';
import { firstValue, type GatewayRequest, isFromThisMachine } from '../http/request.ts';
import { countEndpointStates } from '../routing/health/endpoint-health.ts';
import { hasEnded, type VideoJob } from '../stores/video-jobs.ts';
import { listWorkingJobs } from '../videos/video-job.ts';
import { reachOf } from './permissions.ts';
import type { SystemParts } from './system.ts';

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];
type Combine = MetricFamily['combine'];

/**
 * Reads the figures of this process. Every label has few values: names of providers, statuses, kinds; never a model, a
 * key or what a caller has written. Nothing waits for an engine that is away: what only it could tell is left out.
 */
export async function readMetricFamilies(parts: SystemParts): Promise<readonly MetricFamily[]> {
  return [
    ...ofProcess(parts),
    ...ofCalls([...parts.callFigures.list()]),
    ...ofCaches(parts),
    ...ofEngines(parts),
    ...ofStore(parts),
    ...(await ofQueues(parts)),
  ];
}

function ofProcess({ counters, openCalls, generationFeed }: SystemParts): MetricFamily[] {
  const { calls, streams } = openCalls.count();
  const statuses = [...counters.statuses].toSorted(([a], [b]) => a - b);
  const refusals = [...counters.refusals].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...metric('requests_total', 'counter', 'HTTP requests received', [[{}, counters.requests]]),
    ...metric(
      'responses_total',
      'counter',
      'HTTP responses begun, by status',
      statuses.map(([status, count]) => [{ status: String(status) }, count]),
    ),
    ...metric(
      'refusals_total',
      'counter',
      'Requests refused before anything was recorded, by the code of the error',
      refusals.map(([code, count]) => [{ code }, count]),
    ),
    ...metric('generations_total', 'counter', 'Calls to models that ended', [
      [{ outcome: 'completed' }, counters.completed],
      [{ outcome: 'failed' }, counters.failed],
      [{ outcome: 'cancelled' }, counters.cancelled],
    ]),
    ...metric('record_failures_total', 'counter', 'Generations that could not be recorded', [
      [{}, counters.recordFailures],
    ]),
    ...metric('open_calls', 'gauge', 'Calls to models under way', [[{}, calls]]),
    ...metric('open_streams', 'gauge', 'Streamed calls under way', [[{}, streams]]),
    ...metric('feed_followers', 'gauge', 'Clients that follow the feed of generations', [
      [{}, generationFeed.followers()],
    ]),
  ];
}

function ofCalls(figures: readonly ProviderFigures[]): MetricFamily[] {
  const toSamples = (more: (figures: ProviderFigures) => readonly Sample[]): Sample[] =>
    figures.flatMap((one) => more(one).map(([labels, value]): Sample => [{ ...labelsOf(one), ...labels }, value]));
  return [
    ...metric(
      'provider_generations_total',
      'counter',
      'Recorded calls by the provider that responded last',
      toSamples(({ calls }) => Object.entries(calls).map(([status, count]) => [{ status }, count])),
    ),
    ...metric(
      'attempts_total',
      'counter',
      'Calls to providers, including retries and fallbacks',
      toSamples(({ attemptsOk, attemptsFailed }) => [
        [{ outcome: 'ok' }, attemptsOk],
        [{ outcome: 'failed' }, attemptsFailed],
      ]),
    ),
    ...metric(
      'continued_streams_total',
      'counter',
      'Streams that broke off at a provider and went on at another',
      toSamples(({ streamsContinued }) => [[{}, streamsContinued]]),
    ),
    ...metric(
      'tokens_total',
      'counter',
      'Tokens used; reasoning is part of completion, cached of prompt',
      toSamples((one) => [
        [{ kind: 'prompt' }, one.promptTokens],
        [{ kind: 'completion' }, one.completionTokens],
        [{ kind: 'reasoning' }, one.reasoningTokens],
        [{ kind: 'cached' }, one.cachedTokens],
      ]),
    ),
    ...metric(
      'cost_usd_total',
      'counter',
      'Cost in USD, by who pays the provider',
      toSamples(({ creditsNanoUsd, byokNanoUsd }) => [
        [{ paid_by: 'account' }, creditsNanoUsd / NANO_PER_USD],
        [{ paid_by: 'caller' }, byokNanoUsd / NANO_PER_USD],
      ]),
    ),
    ...histogram('generation_duration_seconds', 'From dispatch to the end', figures, ({ durations }) => durations),
    ...histogram('first_token_seconds', 'To the first token of a stream', figures, ({ firstTokens }) => firstTokens),
  ];
}

/** Why prompts missed the caches of providers, only where that is examined. */
function ofCaches({ cacheExaminer }: SystemParts): MetricFamily[] {
  if (cacheExaminer === null) return [];
  const figures = [...cacheExaminer.list()];
  const sum = (name: string, help: string, pick: (figures: CacheCauseFigures) => number): MetricFamily[] =>
    metric(
      name,
      'counter',
      help,
      figures.map(([cause, one]): Sample => [{ cause }, pick(one)]),
    );
  return [
    ...sum('cache_calls_total', 'Examined calls by why they missed the cache of the provider', ({ calls }) => calls),
    ...sum('cache_missed_tokens_total', 'Tokens that could have been read from a cache', (one) => one.missedTokens),
    ...sum('cache_missed_usd_total', 'USD that reading them would have saved', (one) => one.missedUsd),
    ...metric('cache_unexamined_calls_total', 'counter', 'Calls that were passed over', [
      [{}, cacheExaminer.skipped()],
    ]),
  ];
}

/** Whether what holds the rows, and what processes share, responds. */
function ofEngines({ store, shared }: SystemParts): MetricFamily[] {
  const up = (name: string, what: string, engine: Engine | undefined): MetricFamily[] =>
    engine === undefined
      ? []
      : metric(name, 'gauge', `Whether ${what} responds`, [[{ type: engine.type }, isAway(engine) ? 0 : 1]], 'min');
  const readiness = store.readiness?.();
  return [
    ...metric('ready', 'gauge', 'Whether new calls are accepted', [[{}, readiness?.isReady === false ? 0 : 1]], 'min'),
    ...up('store_up', 'the engine of the store', store.engine),
    ...up('shared_up', 'the engine that processes share', shared?.engine),
  ];
}

const isAway = (engine: Engine | undefined): boolean => (engine?.outage?.() ?? null) !== null;

function ofStore({ store, ledger }: SystemParts): MetricFamily[] {
  const { waitingRecords, journalBytes, journalLimitBytes, transactionAges, freezeMaxAge } = store.figures?.() ?? {};
  const { retention } = store;
  const one = (name: string, help: string, value: number | undefined, combine: Combine = 'sum'): MetricFamily[] =>
    value === undefined ? [] : metric(name, 'gauge', help, [[{}, value]], combine);
  const { database, tables } = transactionAges ?? {};
  return [
    ...one('waiting_records', 'Generations that are not in the database yet', waitingRecords),
    ...one('journal_bytes', 'Size of the journal of records that are not in the database yet', journalBytes),
    ...one('journal_limit_bytes', 'Size at which the journal accepts no more contents', journalLimitBytes),
    ...(database === undefined || tables === undefined
      ? []
      : metric(
          'store_transaction_age',
          'gauge',
          'Transactions since the oldest row was frozen, of the whole database and of the tables of the gateway',
          [
            [{ scope: 'database' }, database],
            [{ scope: 'tables' }, tables],
          ],
          'max',
        )),
    ...one(
      'store_freeze_max_age',
      'Age in transactions at which autovacuum has to freeze a table',
      freezeMaxAge,
      'max',
    ),
    ...one(
      'retention_held',
      'Whether retention is paused because the clock jumped',
      retention === undefined ? undefined : Number(retention.isHeld()),
      'max',
    ),
    ...(retention?.countLate === undefined
      ? []
      : metric(
          'late_generations_total',
          'counter',
          'Generations that arrived again after retention had deleted their day',
          [[{}, retention.countLate()]],
        )),
    ...one('budget_reserved_usd', 'Amount reserved in budgets for running calls', ledger.heldNanoUsd() / NANO_PER_USD),
  ];
}

async function ofQueues(parts: SystemParts): Promise<MetricFamily[]> {
  const { catalog, health, broadcaster } = parts;
  const jobs = await readWorkingJobs(parts);
  const states = [...countEndpointStates(catalog, health)].flatMap(([provider, counts]) =>
    // `standing` is the former name of `state`.
    Object.entries(counts).map(([state, count]): Sample => [{ provider, state, standing: state }, count]),
  );
  // All processes read the same jobs.
  const stored: Sample[] =
    jobs === null
      ? []
      : [
          [{ queue: 'videos' }, jobs.filter((job) => !hasEnded(job)).length],
          [{ queue: 'webhooks' }, jobs.filter((job) => hasEnded(job) && job.delivery?.state === 'waiting').length],
        ];
  const waiting: Sample[] = [...stored, [{ queue: 'broadcasts' }, broadcaster.queued()]];
  return [
    ...metric('endpoints', 'gauge', 'Endpoints by state', states, 'max'),
    ...metric('queue_depth', 'gauge', 'Queued work', waiting, 'max'),
  ];
}

/** Null if the store does not respond soon. */
async function readWorkingJobs({ store, platform }: SystemParts): Promise<readonly VideoJob[] | null> {
  if (isAway(store.engine) || store.readiness?.().isReady === false) return null;
  const read = async (): Promise<readonly VideoJob[]> => listWorkingJobs(store.videoJobs, { limit: MAX_COUNTED_JOBS });
  const reading = read().catch(() => null);
  let cancel = (): void => undefined;
  const tooLate = new Promise<null>((resolve) => (cancel = platform.setTimer(() => resolve(null), READ_LIMIT_MS)));
  return Promise.race([reading, tooLate]).finally(() => cancel());
}

const PREFIX = 'model_gateway_';
const MAX_COUNTED_JOBS = 10_000;
const READ_LIMIT_MS = 1000;

function metric(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  samples: readonly Sample[],
  combine: Combine = 'sum',
): MetricFamily[] {
  const full = PREFIX + name;
  return [
    { name: full, type, help, combine, samples: samples.map(([labels, value]) => ({ name: full, labels, value })) },
  ];
}

function histogram(
  name: string,
  help: string,
  all: readonly ProviderFigures[],
  pick: (figures: ProviderFigures) => Histogram,
): MetricFamily[] {
  const full = PREFIX + name;
  const samples = all.flatMap((one) => toBuckets(full, labelsOf(one), pick(one)));
  return [{ name: full, type: 'histogram', help, combine: 'sum', samples }];
}

const labelsOf = ({ providerName, apiType }: ProviderFigures): Labels => ({
  provider: providerName,
  api_type: apiType,
});

/** Buckets add up: each holds all that took no longer than its bound. */
function toBuckets(name: string, labels: Labels, { bounds, counts, sumSeconds }: Histogram): MetricSample[] {
  let total = 0;
  const buckets = counts.map((count, index): MetricSample => {
    total += count;
    return { name: `${name}_bucket`, labels: { ...labels, le: String(bounds[index] ?? '+Inf') }, value: total };
  });
  return [
    ...buckets,
    { name: `${name}_sum`, labels, value: sumSeconds },
    { name: `${name}_count`, labels, value: total },
  ];
}

/**
 * `GET /metrics` in the Prometheus text format. Callers on this machine that ask for a loopback host need no key; others
 * the token of the options, which is checked without the store, or a management key.
 */
export const getMetrics = publicOperation<SystemParts>()({
  response: { mediaTypes: { 'text/plain': null } },
  errors: ['authentication', 'permission_denied', 'rate_limit_exceeded'],
  async run({ request, parts }) {
    if (!isFromThisMachine(request) && !(await hasToken(request, parts))) {
      await refuseOthers(request, parts);
    }
    const { contentType, body } = await (parts.metrics?.expose?.() ?? exposeAlone(parts));
    return { status: 200, headers: { 'content-type': contentType }, body };
  },
});

/** Compares digests, so that the time reveals nothing about the token. */
async function hasToken({ headers }: GatewayRequest, { metrics, platform }: SystemParts): Promise<boolean> {
  const given = /^Bearer +(\S+) *$/i.exec(firstValue(headers['authorization']) ?? '')?.[1];
  if (metrics?.token === undefined || given === undefined) return false;
  const [expected, found] = await Promise.all([platform.sha256(metrics.token), platform.sha256(given)]);
  return expected === found;
}

async function refuseOthers(request: GatewayRequest, { authenticate }: SystemParts): Promise<void> {
  // A scraper has no session of the host, but may have a management key.
  const principal = (await request.authenticate?.()) ?? (await authenticate({ ...request, authenticate: undefined }));
  if (principal.kind === 'management' && reachOf(principal, 'getMetrics') !== null) return;
  throw new GatewayError('permission_denied', 'Metrics require a management key or the token from metrics.token');
}

/** For hosts without a registry of their own: the core has no other dependency for it. */
async function exposeAlone(parts: SystemParts): Promise<Exposition> {
  const families = await readMetricFamilies(parts);
  return { contentType: 'text/plain; version=0.0.4; charset=utf-8', body: families.map(toText).join('') };
}

const toText = ({ name, help, type, samples }: MetricFamily): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map(toLine).join('')}`;

function toLine({ name, labels, value }: MetricSample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escape(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
}

const escape = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
