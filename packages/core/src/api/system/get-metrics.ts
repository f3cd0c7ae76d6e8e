import { NANO_PER_USD } from '../../catalog/nano-usd.ts';
import { GatewayError } from '../../foundation/errors.ts';
import type { Histogram, ProviderFigures } from '../../generations/call-figures.ts';
import { publicOperation } from '../../http/operation.ts';
import { isLoopbackAddress } from '../../http/request.ts';
import { countStandings } from '../../routing/health/standing-counts.ts';
import { hasEnded } from '../../stores/video-job.ts';
import { listWorkingJobs } from '../../videos/jobs/working-jobs.ts';
import type { SystemParts } from './system-parts.ts';

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

/**
 * `GET /metrics` in the Prometheus text format. Callers on this machine need no key. Every label has few values: names
 * of providers, statuses, kinds; never a model, a key or what a caller has written.
 */
export const getMetrics = publicOperation<SystemParts>()({
  response: { mediaTypes: { 'text/plain': null } },
  async run({ request, parts }) {
    if (!isLoopbackAddress(request.remoteAddress)) {
      // A scraper has no session of the host, but may have a management key.
      const principal =
        (await request.authenticate?.()) ?? (await parts.authenticate({ ...request, authenticate: undefined }));
      if (principal.kind !== 'management') throw new GatewayError('permission_denied', 'Metrics need a management key');
    }
    const lines = [...ofProcess(parts), ...ofCalls([...parts.callFigures.list()]), ...(await ofQueues(parts))];
    const body = `${lines.join('\n')}\n`;
    return { status: 200, headers: { 'content-type': 'text/plain; version=0.0.4' }, body };
  },
});

function ofProcess({ counters, openCalls, generationFeed }: SystemParts): string[] {
  const { calls, streams } = openCalls.count();
  const statuses = [...counters.statuses].toSorted(([a], [b]) => a - b);
  return [
    ...metric('requests_total', 'counter', 'HTTP requests taken', [[{}, counters.requests]]),
    ...metric(
      'responses_total',
      'counter',
      'HTTP responses begun, by status',
      statuses.map(([status, count]) => [{ status: String(status) }, count]),
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

function ofCalls(figures: readonly ProviderFigures[]): string[] {
  const toSamples = (more: (figures: ProviderFigures) => readonly Sample[]): Sample[] =>
    figures.flatMap((one) => more(one).map(([labels, value]): Sample => [{ ...labelsOf(one), ...labels }, value]));
  return [
    ...metric(
      'provider_generations_total',
      'counter',
      'Recorded calls by the provider that answered last',
      toSamples(({ calls }) => Object.entries(calls).map(([status, count]) => [{ status }, count])),
    ),
    ...metric(
      'attempts_total',
      'counter',
      'Times a provider was asked, retries and fallbacks included',
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

async function ofQueues({ catalog, health, ledger, store, broadcaster }: SystemParts): Promise<string[]> {
  const jobs = await listWorkingJobs(store.videoJobs, { limit: MAX_COUNTED_JOBS });
  const broadcasts = broadcaster.queued();
  const announcements = jobs.filter((job) => hasEnded(job) && job.delivery?.state === 'waiting').length;
  return [
    ...metric(
      'endpoints',
      'gauge',
      'Endpoints by how they stand',
      [...countStandings(catalog, health)].flatMap(([provider, counts]) =>
        Object.entries(counts).map(([standing, count]): Sample => [{ provider, standing }, count]),
      ),
    ),
    ...(store.retention === undefined
      ? []
      : metric('retention_held', 'gauge', 'Whether nothing is dropped for its age, because the clock has leapt', [
          [{}, store.retention.isHeld() ? 1 : 0],
        ])),
    ...(store.retention?.countLate === undefined
      ? []
      : metric(
          'late_generations_total',
          'counter',
          'Generations that came again after retention had dropped their day',
          [[{}, store.retention.countLate()]],
        )),
    ...metric('budget_reserved_usd', 'gauge', 'Held against budgets for calls under way', [
      [{}, ledger.heldNanoUsd() / NANO_PER_USD],
    ]),
    ...metric('queue_depth', 'gauge', 'What waits to be done', [
      [{ queue: 'videos' }, jobs.filter((job) => !hasEnded(job)).length],
      [{ queue: 'webhooks' }, announcements],
      [{ queue: 'broadcasts' }, broadcasts],
    ]),
  ];
}

const PREFIX = 'model_gateway_';
const MAX_COUNTED_JOBS = 10_000;

function head(name: string, type: string, help: string): string[] {
  return [`# HELP ${PREFIX}${name} ${help}`, `# TYPE ${PREFIX}${name} ${type}`];
}

function metric(name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): string[] {
  return [...head(name, type, help), ...samples.map(([labels, value]) => `${PREFIX}${name}${toText(labels)} ${value}`)];
}

function histogram(
  name: string,
  help: string,
  all: readonly ProviderFigures[],
  pick: (figures: ProviderFigures) => Histogram,
): string[] {
  return [...head(name, 'histogram', help), ...all.flatMap((one) => toHistogramLines(name, labelsOf(one), pick(one)))];
}

const labelsOf = ({ providerName, apiType }: ProviderFigures): Labels => ({
  provider: providerName,
  api_type: apiType,
});

/** Buckets add up: each holds all that took no longer than its bound. */
function toHistogramLines(name: string, labels: Labels, { bounds, counts, sumSeconds }: Histogram): string[] {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return `${PREFIX}${name}_bucket${toText({ ...labels, le: String(bounds[index] ?? '+Inf') })} ${total}`;
  });
  return [
    ...buckets,
    `${PREFIX}${name}_sum${toText(labels)} ${sumSeconds}`,
    `${PREFIX}${name}_count${toText(labels)} ${total}`,
  ];
}

function toText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escape = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
