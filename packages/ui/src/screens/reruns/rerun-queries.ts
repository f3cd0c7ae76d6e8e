import type { Rerun, RerunItem, RerunPair, RerunTargetReport, RerunVerdict } from '@model-gateway/core/wire';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { refreshEvery } from '../../api/queries.ts';
import type { Page } from '../../api/types.ts';

/** A rerun with what became of each of its targets. */
export interface RerunReport extends Rerun {
  readonly results: readonly RerunTargetReport[];
}

const PAGE_ROWS = 50;
/** Reruns that the list shows; the gateway keeps at most 200. */
const MAX_LISTED = 100;
/** Between two looks at one that is running. */
const REFRESH_MS = 5000;
/** The same for a small one, which is soon over. */
const SMALL_REFRESH_MS = 1000;
const SMALL_CALLS = 200;

/** Whether something about it changes by itself: calls under way go on after a pause. */
export const isMoving = ({ state, counts }: Rerun): boolean =>
  state === 'estimating' || state === 'running' || counts.running > 0;

export const rerunsQuery = queryOptions({
  queryKey: ['reruns'],
  queryFn: ({ signal }) => callApi<Page<Rerun>>('/admin/v1/reruns', { query: { limit: MAX_LISTED }, signal }),
  refetchInterval: (query) => refreshEvery(query.state.data?.data.some(isMoving) === true && REFRESH_MS)(query),
});

const toPath = (id: string, rest = ''): string => `/admin/v1/reruns/${encodeURIComponent(id)}${rest}`;

export const rerunQuery = (id: string) =>
  queryOptions({
    queryKey: ['reruns', 'one', id],
    queryFn: async ({ signal }) => (await callApi<{ data: RerunReport }>(toPath(id), { signal })).data,
    refetchInterval: (query) => refreshEvery(toRefreshMs(query.state.data))(query),
  });

function toRefreshMs(rerun: RerunReport | undefined): number | false {
  if (rerun === undefined || !isMoving(rerun)) return false;
  return rerun.counts.total <= SMALL_CALLS ? SMALL_REFRESH_MS : REFRESH_MS;
}

/** The pairs of completions, in the order of the set; of one target where it is named. */
export const rerunPairsQuery = (id: string, target: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['reruns', 'pairs', id, target],
    queryFn: ({ pageParam, signal }) =>
      callApi<Page<RerunPair>>(toPath(id, '/items'), {
        query: { offset: pageParam, limit: PAGE_ROWS, target },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const loaded = pages.reduce((sum, { data }) => sum + data.length, 0);
      return last.data.length > 0 && loaded < last.total_count ? loaded : undefined;
    },
    placeholderData: keepPreviousData,
  });

/** One pair by its place among those of all targets. Null past the end. */
export const rerunPairQuery = (id: string, place: number) =>
  queryOptions({
    queryKey: ['reruns', 'pair', id, place],
    queryFn: async ({ signal }) => {
      const query = { offset: place, limit: 1 };
      return (await callApi<Page<RerunPair>>(toPath(id, '/items'), { query, signal })).data[0] ?? null;
    },
  });

export const judgePair = (id: string, item: string, body: { verdict: RerunVerdict | null; note: string | null }) =>
  callApi<{ data: RerunItem }>(toPath(id, `/items/${encodeURIComponent(item)}`), { method: 'PUT', body });

export const changeRerun = (id: string, change: 'pause' | 'cancel') =>
  callApi<{ data: Rerun }>(toPath(id, `/${change}`), { method: 'POST' });

export const resumeRerun = (id: string, maxCostUsd: number | undefined) =>
  callApi<{ data: Rerun }>(toPath(id, '/resume'), { method: 'POST', body: { max_cost_usd: maxCostUsd } });

export const removeRerun = (id: string) => callApi<unknown>(toPath(id), { method: 'DELETE' });

export const toExportPath = (id: string): string => toPath(id, '/export');
