import type { GenerationHistogram } from '@model-gateway/core/wire';

import { type ColorBook, OTHER_COLOR } from '../../parts/charts/assign-colors.ts';
import type { Series } from '../../parts/charts/chart-series.ts';
import { GENERATION_STATUSES } from '../generations/list/generation-status.tsx';
import { quote } from '../generations/search/filter-text.ts';
import type { GenerationSearch } from '../generations/search/generation-search.ts';
import type { SpanFigures } from './figures-query.ts';
import type { Split } from './overview-search.ts';

export type Percentile = 'p50' | 'p95';

/** What a chart draws of the figures: without a split by what it measures, otherwise by the values of the split. */
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

/** How many calls of a time ended so. */
export const countOf = (
  figures: Pick<Figures, 'requests' | 'failed' | 'cancelled' | 'interrupted'>,
  status: keyof typeof STATUS_COLORS,
): number =>
  status === 'ok' ? figures.requests - figures.failed - figures.cancelled - figures.interrupted : figures[status];

const STATUSES = Object.keys(STATUS_COLORS) as (keyof typeof STATUS_COLORS)[];

/** Calls by how they ended; with a split, by its values, and failed calls as a line above. */
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

/** Milliseconds: both percentiles, or with a split one of them for each value. */
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

export type Figures = GenerationHistogram['totals'];

/** One value by which the calls are split, with its figures. */
export interface Line {
  readonly key: string;
  readonly label: string;
  /** A CSS variable. */
  readonly color: string;
  /** The filter of the list that leaves its calls alone; null where there is none. */
  readonly filter: GenerationSearch | null;
  readonly totals: Figures;
  /** One for each bucket. */
  readonly data: readonly Figures[];
}

/** Words for calls without a value. */
const WITHOUT: Readonly<Record<Split, string>> = {
  none: '',
  model: 'no model',
  provider: 'no provider',
  key: 'no key',
  member: 'no member',
  app: 'no app',
  session: 'no session',
};
const OTHER = 'other:';

/** The values of a split in the order of the gateway, and the others together; empty without a split. */
export function toLines({ split, histogram }: SpanFigures, colors: ColorBook): Line[] {
  if (split === 'none' || histogram.split === undefined) return [];
  const colorOf = colors.colorsOf(histogram.split.map(({ value }) => toKey(split, value)));
  const lines = histogram.split.map(({ value, name, totals, data }): Line => {
    const key = toKey(split, value);
    return {
      key,
      label: toLabel(split, value, name),
      color: colorOf.get(key) ?? OTHER_COLOR,
      filter: toFilter(split, value),
      totals,
      data,
    };
  });
  const { other } = histogram;
  if (other == null) return lines;
  const label = other.values === 1 ? '1 other' : `${other.values} others`;
  const { totals, data } = other;
  const filter = toOtherFilter(
    split,
    histogram.split.map(({ value }) => value),
  );
  return [...lines, { key: OTHER, label, color: OTHER_COLOR, filter, totals, data }];
}

const toKey = (split: Split, value: string | null): string => `${split}:${value ?? ''}`;

function toLabel(split: Split, value: string | null, name: string | null): string {
  if (value === null) return WITHOUT[split];
  if (name !== null) return name;
  if (split === 'key') return `${value.slice(0, 8)}…`;
  return split === 'app' ? value.replace(/^https?:\/\//, '').replace(/\/$/, '') : value;
}

/** Longest line of conditions that the gateway reads. */
const MAX_WHERE = 2000;

/** All but the named ones, in the filter language; null if it cannot express that. */
function toOtherFilter(split: Split, named: readonly (string | null)[]): GenerationSearch | null {
  if (split === 'none') return null;
  const values = named.filter((value) => value !== null);
  // Any text but these: a star in one of them would leave out more.
  if (values.some((value) => value.includes('*'))) return null;
  const conditions = [
    ...(named.includes(null) ? [`${split}:*`] : []),
    ...(values.length > 0 ? [`-${split}:${values.map(quote).join(',')}`] : []),
  ];
  const where = conditions.join(' ');
  return where.length > MAX_WHERE ? null : { where };
}

function toFilter(split: Split, value: string | null): GenerationSearch | null {
  // A comma separates values in all filters but that of sessions.
  const isSayable = split === 'session' || value?.includes(',') !== true;
  return split === 'none' || !isSayable ? null : { [split]: value ?? 'none' };
}
