import type { Logger, MetricFamily, MetricSample } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { GenAiFigures, ReportedMetric, ReportedPoint } from '../generations/gen-ai-figures.ts';
import type { Store } from '../stores/store.ts';
import type { Destination } from '../wire/destinations.ts';
import { configOf, sendRequest } from './deliver-generations.ts';
import type { BroadcastOptions, MetricsReport } from './destination-format.ts';
import type { QueueStatus } from './destination-queue.ts';

/** Pushes the figures of this process to the destinations that want them. */
export interface MetricsSender {
  /** Reads the destinations again. Without one that wants metrics, it does nothing until the next time. */
  refresh(): Promise<void>;
  /** How the destinations do that get the figures of this process, by their ids. Nothing waits: `queued` is 0. */
  status(): ReadonlyMap<string, QueueStatus>;
  /** Sends the last figures, as far as that takes no longer than a request may. */
  close(): Promise<void>;
}

export interface MetricsSenderOptions {
  readonly store: Pick<Store, 'destinations'>;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly broadcast: BroadcastOptions;
  readonly figures: GenAiFigures;
  readonly readFamilies: () => Promise<readonly MetricFamily[]>;
  readonly instanceId: () => string;
}

/** Destinations are looked through this often, and are at most as late. */
const LOOK_EVERY_MS = 5000;
const CLOSE_LIMIT_MS = 2000;

const NEVER: QueueStatus = { queued: 0, lastDeliveredAt: null, lastFailure: null };

/** Creates the sender. What is not taken is not kept: the next push has it, as all figures are sums since the start. */
export function createMetricsSender(options: MetricsSenderOptions): MetricsSender {
  const { store, platform, logger, broadcast, figures, readFamilies, instanceId } = options;
  const startedAt = platform.now();
  /** When each destination was sent to last, by the monotonic clock, whether that failed, and what to say of it. */
  const sent = new Map<string, { atMs: number; hasFailed: boolean; status: QueueStatus }>();
  const sending = new Map<string, Promise<void>>();
  const abort = new AbortController();
  let cancel = (): void => undefined;
  let isClosed = false;

  const report = async (): Promise<MetricsReport> => ({
    instanceId: instanceId(),
    startedAt,
    at: platform.now(),
    metrics: [...figures.read(), ...(await readFamilies()).map(toReported)].filter(({ points }) => points.length > 0),
  });
  const send = async (destination: Destination): Promise<void> => {
    const { id, type } = destination;
    const format = broadcast.formats.find((each) => each.type === type);
    const request = format?.toMetricsRequest?.(await report(), configOf(destination));
    if (request === undefined) return;
    const { transport } = broadcast;
    const { signal } = abort;
    const outcome = await sendRequest(request, { transport, platform, signal, readResponse: format?.readResponse });
    const last = sent.get(id);
    if (last === undefined) return;
    if (!outcome.isDelivered && !last.hasFailed) {
      logger.warn('metrics were not delivered', { destination: id, type, result: outcome.result });
    }
    last.hasFailed = !outcome.isDelivered;
    const at = platform.now();
    last.status = outcome.isDelivered
      ? { ...last.status, lastDeliveredAt: at }
      : { ...last.status, lastFailure: { at, result: outcome.result } };
  };
  const begin = (destination: Destination): void => {
    const { id } = destination;
    // One that hangs is not asked again meanwhile, and holds up no other.
    if (sending.has(id)) return;
    const last = sent.get(id);
    if (last === undefined) return;
    last.atMs = platform.monotonicNow();
    const work = send(destination)
      .catch((error: unknown) => {
        logger.error('metrics could not be sent', { destination: id, reason: String(error) });
      })
      .finally(() => sending.delete(id));
    sending.set(id, work);
  };
  const look = async (isLast: boolean): Promise<boolean> => {
    const wanting = (await store.destinations.list()).filter(
      ({ enabled, metrics_every_seconds: every }) => enabled && (every ?? null) !== null,
    );
    if (wanting.length > 0) figures.begin();
    for (const id of sent.keys()) if (!wanting.some((each) => each.id === id)) sent.delete(id);
    for (const destination of wanting) {
      const last = sent.get(destination.id);
      const everyMs = (destination.metrics_every_seconds ?? 0) * 1000;
      // The first comes after a whole interval: until then there is nothing to tell.
      if (last === undefined)
        sent.set(destination.id, { atMs: platform.monotonicNow(), hasFailed: false, status: NEVER });
      else if (isLast || last.atMs + everyMs <= platform.monotonicNow()) begin(destination);
    }
    return wanting.length > 0;
  };
  const lookOn = async (): Promise<void> => {
    cancel();
    let isWanted = true;
    try {
      isWanted = await look(false);
    } catch (error) {
      logger.error('destinations of metrics could not be read', { reason: String(error) });
    }
    cancel();
    if (isWanted && !isClosed) cancel = platform.setTimer(() => void lookOn(), LOOK_EVERY_MS);
  };
  return {
    refresh: lookOn,
    status: () => new Map([...sent].map(([id, { status }]) => [id, status])),
    async close() {
      if (isClosed) return;
      isClosed = true;
      cancel();
      await look(true).catch(() => false);
      const cancelLimit = platform.setTimer(() => abort.abort(), CLOSE_LIMIT_MS);
      await Promise.allSettled(sending.values());
      cancelLimit();
    },
  };
}

/** The gateway's own figures. Prometheus' ending of sums is left out: exporters to Prometheus add it again. */
function toReported({ name, type, help, samples }: MetricFamily): ReportedMetric {
  const about = { name: name.replace(/_total$/, ''), description: help, unit: name.endsWith('_seconds') ? 's' : '' };
  if (type === 'histogram') return { ...about, kind: 'histogram', points: toHistograms(name, samples) };
  const points = samples.map(({ labels, value }) => ({ attributes: labels, value }));
  return { ...about, kind: type === 'counter' ? 'sum' : 'gauge', points };
}

/** Buckets of Prometheus add up; those of OpenTelemetry stand for themselves. */
function toHistograms(name: string, samples: readonly MetricSample[]): ReportedPoint[] {
  const found = new Map<
    string,
    { attributes: MetricSample['labels']; bounds: number[]; counts: number[]; sum: number }
  >();
  for (const sample of samples) {
    const { le, ...attributes } = sample.labels;
    const key = JSON.stringify(attributes);
    const point = found.get(key) ?? { attributes, bounds: [], counts: [], sum: 0 };
    found.set(key, point);
    if (sample.name === `${name}_sum`) point.sum = sample.value;
    if (sample.name !== `${name}_bucket` || le === undefined) continue;
    if (le !== '+Inf') point.bounds.push(Number(le));
    point.counts.push(sample.value - point.counts.reduce((all, count) => all + count, 0));
  }
  return [...found.values()].map(({ attributes, ...value }) => ({ attributes, value }));
}
