import type { GenerationHistogram } from '@model-gateway/core/wire';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { refreshEvery } from '../../api/queries.ts';
import { DAY_MS, toMonthStart } from '../../format/days.ts';
import type { GenerationSearch } from '../generations/search/generation-search.ts';
import {
  type ChartSpan,
  type OverviewSearch,
  type Split,
  splitOf,
  toChartSpan,
  toSpanBefore,
} from './overview-search.ts';

/** The figures of a span, with the span and the split that they belong to. */
export interface SpanFigures {
  readonly span: ChartSpan;
  readonly split: Split;
  readonly histogram: GenerationHistogram;
}

/** An open span ends at the present of the gateway, whose clock may be another. */
export const toSpanQuery = ({ fromMs, toMs, isOpen, beginMs, endMs, bucketMs }: ChartSpan) => ({
  from: new Date(fromMs).toISOString(),
  ...(!isOpen && { to: new Date(toMs).toISOString() }),
  begin: new Date(beginMs).toISOString(),
  end: new Date(endMs).toISOString(),
  buckets: (endMs - beginMs) / bucketMs,
});

/** The query of the figures that the charts of a search show at a moment. */
export function toFiguresQuery(search: OverviewSearch, fixed: GenerationSearch, now: number) {
  const split = splitOf(search);
  const span = toChartSpan(search, now);
  const before = toSpanBefore(search, now);
  const query = {
    ...fixed,
    ...toSpanQuery(span),
    ...(before === null && { compare: 'true' }),
    ...(split !== 'none' && { split, rank: 'cost' }),
  };
  const toIso = (ms: number): string => new Date(ms).toISOString();
  const beforeQuery = before && { ...fixed, from: toIso(before.fromMs), to: toIso(before.toMs), buckets: 1 };
  return { span, split, query, beforeQuery };
}

const PATH = '/admin/v1/generations/histogram';
const REFRESH_MS = 30_000;

/** What the charts show of the calls that a fixed filter leaves. While other figures load, those before stay. */
export const figuresQuery = (search: OverviewSearch, fixed: GenerationSearch = {}) => {
  const { range, from, to } = search;
  return queryOptions({
    queryKey: ['figures', splitOf(search), range ?? '', from ?? '', to ?? '', fixed],
    refetchInterval: refreshEvery(REFRESH_MS),
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<SpanFigures> => {
      const { span, split, query, beforeQuery } = toFiguresQuery(search, fixed, Date.now());
      const [histogram, before] = await Promise.all([
        callApi<GenerationHistogram>(PATH, { query, signal }),
        beforeQuery && callApi<GenerationHistogram>(PATH, { query: beforeQuery, signal }),
      ]);
      return { span, split, histogram: before === null ? histogram : { ...histogram, before } };
    },
  });
};

/** What was spent since the first of the month, in US dollars. */
export interface MonthFigures {
  readonly spent: number;
  /** What it comes to at the end of the month if it goes on like that; null while the month is too young to tell. */
  readonly forecast: number | null;
}

/** The first hours of a month say nothing of the rest. */
const LEAST_ELAPSED_MS = DAY_MS;
/** Longer than any month, and shorter than two. */
const INTO_NEXT_MONTH_MS = 32 * DAY_MS;

/** The forecast of a month at a moment, at the pace so far. */
export function toForecast(spent: number, now: number): number | null {
  const startMs = toMonthStart(now);
  const elapsedMs = now - startMs;
  const endMs = toMonthStart(startMs + INTO_NEXT_MONTH_MS);
  return elapsedMs < LEAST_ELAPSED_MS ? null : (spent / elapsedMs) * (endMs - startMs);
}

/** Spending of this month on the user's clock. */
export const monthQuery = (fixed: GenerationSearch = {}) =>
  queryOptions({
    queryKey: ['figures', 'month', fixed],
    refetchInterval: refreshEvery(2 * REFRESH_MS),
    queryFn: async ({ signal }): Promise<MonthFigures> => {
      const now = Date.now();
      const query = { ...fixed, from: new Date(toMonthStart(now)).toISOString(), buckets: 1 };
      const { totals } = await callApi<GenerationHistogram>(PATH, { query, signal });
      return { spent: totals.cost, forecast: toForecast(totals.cost, now) };
    },
  });
