import type { Exposition, MetricFamily } from '@model-gateway/core';

/** A family of one process or of several together, in the form of prom-client that goes from process to process. */
export interface MetricFigures {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  /** How those of several processes become one; `omit` leaves the family out. */
  readonly aggregator: string;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly metricName?: string | undefined;
  }[];
}

/** The figures of this process: those of Node and the system, and those of its gateway. */
export interface ProcessMetrics {
  /** Begins to watch the event loop and the garbage collector, which count from then on. */
  begin(): Promise<void>;
  read(): Promise<readonly MetricFigures[]>;
}

export interface ProcessMetricsOptions {
  readonly version: string;
  /** The figures of the gateway, where this process has one. */
  readonly readFamilies?: (() => Promise<readonly MetricFamily[]>) | undefined;
}

/** prom-client leaves it out of a sum, where the oldest process tells since when `serve` runs. */
const OTHER_AGGREGATORS: Readonly<Record<string, string>> = { process_start_time_seconds: 'min' };

/** Nothing is loaded before `begin` or the first reading, so that a start is as fast as without metrics. */
export function createProcessMetrics({ version, readFamilies }: ProcessMetricsOptions): ProcessMetrics {
  const open = async (): Promise<{ getMetricsAsJSON(): Promise<unknown> }> => {
    const { collectDefaultMetrics, Registry } = await import('prom-client');
    const register = new Registry();
    collectDefaultMetrics({ register });
    return register;
  };
  let opening: ReturnType<typeof open> | undefined;
  const opened = (): ReturnType<typeof open> => (opening ??= open());
  return {
    async begin() {
      await opened();
    },
    async read() {
      const register = await opened();
      const [families, ofProcess] = await Promise.all([readFamilies?.() ?? [], register.getMetricsAsJSON()]);
      return [
        toBuildInfo(version),
        ...families.map(toFigures),
        ...withoutEmptyLag(ofProcess as MetricFigures[]).map((figures) => ({
          ...figures,
          aggregator: OTHER_AGGREGATORS[figures.name] ?? figures.aggregator,
        })),
      ];
    },
  };
}

/** Measured of the event loop since the scrape before; `nodejs_eventloop_lag_seconds` is measured at the scrape itself. */
const LAG = /^nodejs_eventloop_lag_(min|max|mean|stddev|p\d+)_seconds$/;

/**
 * Leaves out the lag where nothing was measured since the scrape before, a few milliseconds ago: prom-client then tells
 * means that are no number and a minimum of 292 years.
 */
function withoutEmptyLag(families: readonly MetricFigures[]): readonly MetricFigures[] {
  const mean = families.find(({ name }) => name === 'nodejs_eventloop_lag_mean_seconds');
  if (mean?.values.some(({ value }) => Number.isNaN(value)) !== true) return families;
  return families.filter(({ name }) => !LAG.test(name));
}

const toFigures = ({ name, help, type, combine, samples }: MetricFamily): MetricFigures => ({
  name,
  help,
  type,
  aggregator: combine,
  values: samples.map((sample) => ({ value: sample.value, labels: sample.labels, metricName: sample.name })),
});

const toBuildInfo = (version: string): MetricFigures => ({
  name: 'model_gateway_build_info',
  help: 'The version of the program; always 1',
  type: 'gauge',
  aggregator: 'max',
  values: [{ value: 1, labels: { version } }],
});

/** Adds up the figures of processes, and writes them for a scrape. */
export async function toExposition(all: readonly (readonly MetricFigures[])[]): Promise<Exposition> {
  const registry = await aggregate(all);
  return { contentType: registry.contentType, body: await registry.metrics() };
}

/** The part of an ended process that stays in the sum, so that no counter ever goes down. */
export async function addEnded(
  ended: readonly MetricFigures[],
  figures: readonly MetricFigures[],
): Promise<readonly MetricFigures[]> {
  const rising = figures.filter(({ type }) => type === 'counter' || type === 'histogram');
  const registry = await aggregate([ended, rising]);
  return (await registry.getMetricsAsJSON()) as unknown as MetricFigures[];
}

async function aggregate(all: readonly (readonly MetricFigures[])[]) {
  const { AggregatorRegistry } = await import('prom-client');
  return AggregatorRegistry.aggregate(all as unknown as object[]);
}
