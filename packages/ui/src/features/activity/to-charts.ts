import type { Series } from '../../parts/charts/chart-series.ts';
import { GENERATION_STATUSES } from '../generations/generation-status.tsx';
import type { SpanFigures } from './figures-query.ts';
import type { Figures, Line } from './to-lines.ts';

export type Percentile = 'p50' | 'p95';

/** What a chart draws of the figures: without a split by what it measures, otherwise by the things of the split. */
export type ToSeries = (figures: SpanFigures, lines: readonly Line[]) => Series[];

const toBars = (lines: readonly Line[], read: (figures: Figures) => number): Series[] =>
  lines.map(({ key, label, color, data }) => ({ key, label, color, shape: 'bar', values: data.map(read) }));

const toCurves = (lines: readonly Line[], read: (figures: Figures) => number | null): Series[] =>
  lines
    .map(({ key, label, color, data }) => ({ key, label, color, shape: 'line' as const, values: data.map(read) }))
    .filter(({ values }) => values.some((value) => value !== null));

/** Dollars, stacked. */
export const toCostSeries: ToSeries = ({ histogram: { data } }, lines) =>
  lines.length > 0
    ? toBars(lines, ({ cost }) => cost)
    : [{ key: 'cost', label: 'Cost', color: '--chart-1', shape: 'bar', values: data.map(({ cost }) => cost) }];

/** Statuses with the colours that they have in every chart. */
export const STATUS_COLORS = {
  ok: '--chart-1',
  cancelled: '--chart-3',
  interrupted: '--chart-4',
  failed: '--chart-5',
} as const;

const countOf = (figures: Figures, status: keyof typeof STATUS_COLORS): number =>
  status === 'ok' ? figures.requests - figures.failed - figures.cancelled - figures.interrupted : figures[status];

const STATUSES = Object.keys(STATUS_COLORS) as (keyof typeof STATUS_COLORS)[];

/** Calls by how they ended; with a split, by its things, and those that went wrong as a line above. */
export const toRequestSeries: ToSeries = ({ histogram: { data, totals } }, lines) => {
  if (lines.length > 0) {
    // Where there are none, nothing is drawn above the bars.
    const errors = data.map(({ failed, interrupted }) => failed + interrupted || null);
    return [
      ...toBars(lines, ({ requests }) => requests),
      {
        key: 'errors',
        label: 'errors',
        color: '--chart-5',
        shape: 'line',
        isDashed: true,
        hasGaps: true,
        values: errors,
      },
    ];
  }
  return STATUSES.filter((status) => status === 'ok' || countOf(totals, status) > 0).map((status) => ({
    key: `status:${status}`,
    label: GENERATION_STATUSES[status].label,
    color: STATUS_COLORS[status],
    shape: 'bar',
    values: data.map((figures) => countOf(figures, status)),
  }));
};

const FIRST_TOKEN = { p50: 'first_token_p50', p95: 'first_token_p95' } as const;

/** Milliseconds: both percentiles, or with a split one of them for each thing. */
export const toFirstTokenSeries =
  (percentile: Percentile): ToSeries =>
  ({ histogram: { data } }, lines) =>
    lines.length > 0
      ? toCurves(lines, (figures) => figures[FIRST_TOKEN[percentile]])
      : [
          {
            key: 'p50',
            label: 'p50',
            color: '--chart-1',
            shape: 'line',
            values: data.map((figures) => figures.first_token_p50),
          },
          {
            key: 'p95',
            label: 'p95',
            color: '--chart-3',
            shape: 'line',
            isDashed: true,
            values: data.map((figures) => figures.first_token_p95),
          },
        ];

/** Tokens a second, in the middle. */
export const toSpeedSeries: ToSeries = ({ histogram: { data } }, lines) =>
  lines.length > 0
    ? toCurves(lines, (figures) => figures.tokens_per_second_p50)
    : [
        {
          key: 'speed',
          label: 'p50',
          color: '--chart-2',
          shape: 'line',
          values: data.map((figures) => figures.tokens_per_second_p50),
        },
      ];
