import type { GenerationHistogram } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../../api/call-api.ts';
import { refreshEvery } from '../../../api/queries.ts';
import {
  type GenerationSearch,
  toGenerationQuery,
  withoutFilters,
} from '../../../features/generations/search/generation-search.ts';

const EVER = '1970-01-01T00:00:00Z';
const REFRESH_MS = 30_000;
/** Parts of the address that leave the same calls, or that nothing is counted by. */
const NOT_COUNTED = ['open', 'compare', 'tab', 'sort', 'order', 'text'] as const;

/** One span for all the time that the filters leave. Nothing is counted by text. */
function toCountQuery(search: GenerationSearch): Record<string, string | undefined> {
  return { from: EVER, ...given(toGenerationQuery(withoutFilters(search, ['text']), Date.now())), buckets: '1' };
}

const given = (query: Record<string, string | undefined>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));

/** Number of calls that each filter would leave, and the number of all calls, without regard to a text filter. */
export const facetsQuery = (search: GenerationSearch) => {
  const filters = withoutFilters(search, NOT_COUNTED);
  return queryOptions({
    queryKey: ['generation-facets', filters],
    refetchInterval: refreshEvery(REFRESH_MS),
    queryFn: async ({ signal }) => {
      const query = { ...toCountQuery(filters), facets: 'true' };
      return (await callApi<GenerationHistogram>('/admin/v1/generations/histogram', { query, signal })).facets;
    },
  });
};

/** How many calls there are, whatever their text. */
export const countQuery = (search: GenerationSearch) => {
  const filters = withoutFilters(search, NOT_COUNTED);
  return queryOptions({
    queryKey: ['generation-count', filters],
    queryFn: async ({ signal }) => {
      const query = toCountQuery(filters);
      const { data } = await callApi<GenerationHistogram>('/admin/v1/generations/histogram', { query, signal });
      return data.reduce((sum, { requests }) => sum + requests, 0);
    },
  });
};
