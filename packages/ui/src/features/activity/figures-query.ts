import type { GenerationHistogram } from '@model-gateway/core/wire';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { refreshEvery } from '../../api/queries.ts';
import type { GenerationSearch } from '../generations/search/generation-search.ts';
import { type ChartSpan, type OverviewSearch, type Split, splitOf, toChartSpan } from './overview-search.ts';

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

const REFRESH_MS = 30_000;

/** What the charts show of the calls that a fixed filter leaves. While other figures load, those before stay. */
export const figuresQuery = (search: OverviewSearch, fixed: GenerationSearch = {}) => {
  const split = splitOf(search);
  const { range, from, to } = search;
  return queryOptions({
    queryKey: ['figures', split, range ?? '', from ?? '', to ?? '', fixed],
    refetchInterval: refreshEvery(REFRESH_MS),
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<SpanFigures> => {
      const span = toChartSpan(search, Date.now());
      const query = {
        ...fixed,
        ...toSpanQuery(span),
        compare: 'true',
        ...(split !== 'none' && { split, rank: 'cost' }),
      };
      const histogram = await callApi<GenerationHistogram>('/admin/v1/generations/histogram', { query, signal });
      return { span, split, histogram };
    },
  });
};
