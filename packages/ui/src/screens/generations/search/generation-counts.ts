import type { GenerationHistogram } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi, type Query } from '../../../api/call-api.ts';
import { refreshEvery } from '../../../api/queries.ts';
import type { GenerationList } from '../../../api/types.ts';
import { toSpanQuery } from '../../../features/activity/figures-query.ts';
import { toOwnSpan } from '../../../features/activity/overview-search.ts';
import {
  type GenerationSearch,
  type Grouping,
  toGenerationQuery,
  withoutFilters,
} from '../../../features/generations/search/generation-search.ts';
import { DAY_MS } from '../../../format/days.ts';

const EVER = '1970-01-01T00:00:00Z';
const REFRESH_MS = 30_000;
/** Parts of the address that leave the same calls, or that nothing is counted by. */
export const NOT_COUNTED = ['open', 'compare', 'tab', 'sort', 'order', 'text', 'group', 'refused'] as const;

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

/** Counts all that the filters leave: without a beginning, from the first of those requests on. */
export async function readHistogram(search: GenerationSearch, signal: AbortSignal): Promise<GenerationHistogram> {
  const query = toGenerationQuery(search, Date.now());
  const fromMs =
    query['from'] === undefined ? ((await findFirst(query, signal)) ?? Date.now() - DAY_MS) : Date.parse(query['from']);
  const toMs = query['to'] === undefined ? Date.now() : Date.parse(query['to']);
  const span = toOwnSpan(Math.min(fromMs, toMs - 1), toMs);
  const spanQuery = toSpanQuery({ ...span, isOpen: query['to'] === undefined });
  return callApi('/admin/v1/generations/histogram', { query: { ...query, ...spanQuery }, signal });
}

/** When the first request began that the filters leave; null where there is none. */
export async function findFirst(query: Query, signal: AbortSignal): Promise<number | null> {
  const first = { ...query, sort: 'time', order: 'asc', limit: 1, fields: 'created_at' };
  const { data } = await callApi<GenerationList>('/admin/v1/generations', { query: first, signal });
  return data[0] === undefined ? null : Date.parse(data[0].created_at);
}

/** The values of a grouping that are told apart; the gateway adds up the others. */
const MAX_GROUPS = '50';

/** The requests that the filters leave, added up by a property. Nothing is counted by text. */
export const groupsQuery = (
  search: GenerationSearch,
  grouping: Exclude<Grouping, 'day'>,
  rank: 'requests' | 'cost',
) => {
  const filters = withoutFilters(search, NOT_COUNTED);
  return queryOptions({
    queryKey: ['generation-groups', filters, grouping, rank],
    refetchInterval: refreshEvery(REFRESH_MS),
    queryFn: ({ signal }) => {
      const query = { ...toCountQuery(filters), split: grouping, rank, parts: MAX_GROUPS };
      return callApi<GenerationHistogram>('/admin/v1/generations/histogram', { query, signal });
    },
  });
};
