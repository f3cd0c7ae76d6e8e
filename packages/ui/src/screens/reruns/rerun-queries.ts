import type {
  GenerationRow,
  Rerun,
  RerunItem,
  RerunPair,
  RerunTargetReport,
  RerunVerdict,
} from '@model-gateway/core/wire';
import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { readAll, refreshEvery } from '../../api/queries.ts';
import type { GenerationList, Page } from '../../api/types.ts';

/** A rerun with what became of each of its targets. */
export interface RerunReport extends Rerun {
  readonly results: readonly RerunTargetReport[];
}

const PAGE_ROWS = 50;
/** The most reruns that the gateway gives at once; it keeps at most 200. */
const PAGE_RERUNS = 100;
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
  queryFn: ({ signal }) => readAll<Rerun>('/admin/v1/reruns', PAGE_RERUNS, signal),
  refetchInterval: (query) => refreshEvery(query.state.data?.some(isMoving) === true && REFRESH_MS)(query),
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

/** The pairs of a list that are there, by the key of its query. */
type LoadedPairs = InfiniteData<Page<RerunPair>>;

/** A pair that a list has loaded already. */
export const findLoadedPair = (client: QueryClient, id: string, item: string): RerunPair | undefined =>
  client
    .getQueriesData<LoadedPairs>({ queryKey: ['reruns', 'pairs', id] })
    .flatMap(([, list]) => list?.pages.flatMap(({ data }) => data) ?? [])
    .find((pair) => pair.item === item);

/** Puts what has changed of an item into every list that shows it: pages are costly to load again. */
export function replaceLoadedPair(client: QueryClient, id: string, changed: RerunItem): void {
  const put = (pair: RerunPair): RerunPair => (pair.item === changed.item ? { ...pair, ...changed } : pair);
  client.setQueriesData<LoadedPairs>({ queryKey: ['reruns', 'pairs', id] }, (list) =>
    list === undefined
      ? undefined
      : { ...list, pages: list.pages.map((page) => ({ ...page, data: page.data.map(put) })) },
  );
  client.setQueriesData<RerunPair | null>({ queryKey: ['reruns', 'pair', id] }, (pair) => (pair ? put(pair) : pair));
}

/** Pages that are loaded again whenever an item has ended. */
const MAX_FOLLOWED = 4;

/** Loads the pairs again, unless so many are there that this waits for the end of the rerun. */
export async function refreshPairs(client: QueryClient, id: string, isOver: boolean): Promise<void> {
  await client.invalidateQueries({
    queryKey: ['reruns', 'pairs', id],
    predicate: ({ state }) => isOver || ((state.data as LoadedPairs | undefined)?.pages.length ?? 0) <= MAX_FOLLOWED,
  });
  await client.invalidateQueries({ queryKey: ['reruns', 'pair', id] });
}

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

/** How the prompt of a call begins; null where it is not stored, or the call is gone. */
export const promptQuery = (generationId: string) =>
  queryOptions({
    queryKey: ['generations', 'prompt', generationId],
    queryFn: async ({ signal }) => {
      const query = { id: generationId, fields: 'id,prompt_preview' };
      type Row = Pick<GenerationRow, 'id' | 'prompt_preview'>;
      const { data } = await callApi<GenerationList<Row>>('/admin/v1/generations', { query, signal });
      return data[0]?.prompt_preview ?? null;
    },
    staleTime: 60_000,
  });

export const changeRerun = (id: string, change: 'pause' | 'cancel') =>
  callApi<{ data: Rerun }>(toPath(id, `/${change}`), { method: 'POST' });

export const resumeRerun = (id: string, maxCostUsd: number | undefined) =>
  callApi<{ data: Rerun }>(toPath(id, '/resume'), { method: 'POST', body: { max_cost_usd: maxCostUsd } });

export const removeRerun = (id: string) => callApi<unknown>(toPath(id), { method: 'DELETE' });

export const toExportPath = (id: string): string => toPath(id, '/export');
