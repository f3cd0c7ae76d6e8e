import type { MetricsReport } from '@model-gateway/core';

import { toOtlpAttributes, toOtlpResource } from './otlp-logs.ts';

type Metric = MetricsReport['metrics'][number];

/** OTLP's name for sums since a beginning. */
const CUMULATIVE = 2;

const toNano = (ms: number): string => `${BigInt(Math.round(ms)) * 1_000_000n}`;

/** The figures of a process as the body of an OTLP/HTTP request in JSON, all sums since its start. */
export function toOtlpMetrics({ instanceId, startedAt, at, metrics }: MetricsReport): string {
  const times = { startTimeUnixNano: toNano(startedAt), timeUnixNano: toNano(at) };
  const scopeMetrics = [
    { scope: { name: 'model-gateway' }, metrics: metrics.map((metric) => toMetric(metric, times)) },
  ];
  const resource = toOtlpResource(toOtlpAttributes({ 'service.instance.id': instanceId }));
  return JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics }] });
}

function toMetric({ name, description, unit, kind, points }: Metric, times: object): object {
  const dataPoints = points.map(({ attributes, value }) => ({
    attributes: toOtlpAttributes(attributes),
    ...times,
    ...(typeof value === 'number' ? { asDouble: value } : toHistogram(value)),
  }));
  const about = { name, description, ...(unit !== '' && { unit }) };
  if (kind === 'gauge') return { ...about, gauge: { dataPoints } };
  if (kind === 'sum') return { ...about, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } };
  return { ...about, histogram: { dataPoints, aggregationTemporality: CUMULATIVE } };
}

/** Counts are texts: they have 64 bits. */
const toHistogram = ({ bounds, counts, sum }: Exclude<Metric['points'][number]['value'], number>) => ({
  count: String(counts.reduce((all, count) => all + count, 0)),
  sum,
  bucketCounts: counts.map(String),
  explicitBounds: bounds,
});
