import type { GenerationHistogram } from '@model-gateway/core/wire';

import type { Series } from '../../parts/charts/chart-series.ts';
import type { SpanFigures } from './figures-query.ts';
import { activityMessages } from './messages.ts';
import type { Line } from './to-lines.ts';

export type Figures = GenerationHistogram['totals'];
export type Percentile = 'p50' | 'p95' | 'p99';

/** What a chart draws of the figures: without a split by what it measures, otherwise by the values of the split. */
export type ToSeries = (figures: SpanFigures, lines: readonly Line[]) => Series[];

const toBars = (lines: readonly Line[], read: (figures: Figures) => number): Series[] =>
  lines.map(({ key, label, color, data }) => ({ key, label, color, shape: 'bar', values: data.map(read) }));

const toCurves = (lines: readonly Line[], read: (figures: Figures) => number | null): Series[] =>
  lines
    .map(({ key, label, color, data }) => ({ key, label, color, shape: 'line' as const, values: data.map(read) }))
    .filter(({ values }) => values.some((value) => value !== null));

type Chart = 'cost' | 'errors' | 'speed' | 'retries' | 'cacheShare' | 'saved';

/** Bars of the values of a split, or of all together. */
const toStack =
  (chart: Chart, color: string, read: (figures: Figures) => number): ToSeries =>
  ({ histogram: { data } }, lines) =>
    lines.length > 0
      ? toBars(lines, read)
      : [{ key: chart, label: activityMessages().charts[chart], color, shape: 'bar', values: data.map(read) }];

/** A line for each value of a split, or one of all together. */
const toTrend =
  (chart: Chart, color: string, read: (figures: Figures) => number | null): ToSeries =>
  ({ histogram: { data } }, lines) =>
    lines.length > 0
      ? toCurves(lines, read)
      : [{ key: chart, label: activityMessages().charts[chart], color, shape: 'line', values: data.map(read) }];

/** Failed requests of all requests, in per cent; null without any request. */
export const errorRateOf = ({ failed, requests }: Pick<Figures, 'failed' | 'requests'>): number | null =>
  requests === 0 ? null : (failed / requests) * 100;

/** Prompt tokens that came from a cache, in per cent of those of which that is known; null without any. */
export const cacheShareOf = (figures: Pick<Figures, 'cached_tokens' | 'prompt_tokens'>): number | null =>
  figures.prompt_tokens === 0 ? null : (figures.cached_tokens / figures.prompt_tokens) * 100;

/** Dollars. */
export const toCostSeries = toStack('cost', '--chart-1', ({ cost }) => cost);
export const toSavedSeries = toStack('saved', '--chart-2', (figures) => figures.cache_saved);
export const toRetrySeries = toStack('retries', '--chart-3', ({ retries }) => retries);
/** Per cent. */
export const toErrorRateSeries = toTrend('errors', '--chart-5', errorRateOf);
export const toCacheShareSeries = toTrend('cacheShare', '--chart-2', cacheShareOf);
/** Tokens a second, in the middle. */
export const toSpeedSeries = toTrend('speed', '--chart-2', (figures) => figures.tokens_per_second_p50);

/** Statuses with the colours that they have in every chart. */
export const STATUS_COLORS = {
  ok: '--chart-1',
  cancelled: '--chart-3',
  interrupted: '--chart-4',
  failed: '--chart-5',
} as const;

/** How many calls of a time ended so. */
export const countOf = (
  figures: Pick<Figures, 'requests' | 'failed' | 'cancelled' | 'interrupted'>,
  status: keyof typeof STATUS_COLORS,
): number =>
  status === 'ok' ? figures.requests - figures.failed - figures.cancelled - figures.interrupted : figures[status];

const STATUSES = Object.keys(STATUS_COLORS) as (keyof typeof STATUS_COLORS)[];

/** Calls by how they ended; with a split, by its values, and failed calls as a line above. */
export const toRequestSeries: ToSeries = ({ histogram: { data, totals } }, lines) => {
  const { statuses } = activityMessages();
  if (lines.length > 0) {
    // Where there are none, nothing is drawn above the bars.
    const values = data.map(({ failed }) => failed || null);
    const failed: Series = {
      key: 'status:failed',
      label: statuses.failed,
      color: '--chart-5',
      shape: 'line',
      isDashed: true,
      values,
    };
    return [...toBars(lines, ({ requests }) => requests), ...(totals.failed > 0 ? [failed] : [])];
  }
  return STATUSES.filter((status) => status === 'ok' || countOf(totals, status) > 0).map((status) => ({
    key: `status:${status}`,
    label: statuses[status],
    color: STATUS_COLORS[status],
    shape: 'bar',
    values: data.map((figures) => countOf(figures, status)),
  }));
};

const PERCENTILE_COLORS: Readonly<Record<Percentile, string>> = {
  p50: '--chart-1',
  p95: '--chart-3',
  p99: '--chart-4',
};

/** Milliseconds: all percentiles, or with a split one of them for each value. */
const toPercentiles = (
  read: (figures: Figures, percentile: Percentile) => number | null,
  percentiles: readonly Percentile[],
) => {
  return (chosen: Percentile): ToSeries =>
    ({ histogram: { data } }, lines) =>
      lines.length > 0
        ? toCurves(lines, (figures) => read(figures, chosen))
        : percentiles.map((percentile) => ({
            key: percentile,
            label: percentile,
            color: PERCENTILE_COLORS[percentile],
            shape: 'line',
            isDashed: percentile !== 'p50',
            values: data.map((figures) => read(figures, percentile)),
          }));
};

export const durationOf = (figures: Figures, percentile: Percentile): number | null =>
  figures[`duration_${percentile}`];

/** Of the first token there are two percentiles; what is beyond the second is not known. */
export const firstTokenOf = (figures: Figures, percentile: Percentile): number | null =>
  percentile === 'p50' ? figures.first_token_p50 : figures.first_token_p95;

/** Whole calls that ended well. */
export const toDurationSeries = toPercentiles(durationOf, ['p50', 'p95', 'p99']);
export const toFirstTokenSeries = toPercentiles(firstTokenOf, ['p50', 'p95']);
