import { useInfiniteQuery, useQueryClient, hashKey } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';

import { callApi } from '../../../api/call-api.ts';
import { usePreferences } from '../../../app/preferences.ts';
import { type ListPage, ROW_QUERY } from '../../../features/generations/list/list-row.ts';
import {
  type GenerationSearch,
  toGenerationQuery,
  toSortQuery,
  withoutFilters,
} from '../../../features/generations/search/generation-search.ts';
import { addUpSearch } from '../search/search-bar.tsx';
import { MAX_PINS } from './pins.ts';
import { useNewRows } from './use-new-rows.ts';

const PAGE_ROWS = 200;

/** The list for the filters, page by page, with what ends meanwhile waiting or put on top. */
export function useGenerations(search: GenerationSearch, isPaused: boolean, isAtTop: boolean) {
  const client = useQueryClient();
  const pins = usePreferences().pins.slice(0, MAX_PINS).join(',');
  // The gateway's filters alone: neither what is open nor what is compared asks for the list again.
  const filters = withoutFilters(search, ['open', 'compare', 'tab', 'group', 'refused']);
  const pinnedIds = filters.pinned === undefined ? undefined : pins;
  const ofUnsorted = [withoutFilters(filters, ['sort', 'order']), pinnedIds];
  const queryKey = ['generations', ofUnsorted, toSortQuery(filters)];
  const listId = hashKey(queryKey);
  /** The list whose search was stopped. */
  const [stoppedId, setStoppedId] = useState<string>();
  const isStopped = stoppedId === listId;
  const fetchPage = async (cursor?: string, signal?: AbortSignal): Promise<ListPage> => {
    if (pinnedIds === '') return { data: [], next_cursor: null, key_names: {} };
    const query =
      pinnedIds === undefined
        ? {
            ...toGenerationQuery(filters, Date.now()),
            ...toSortQuery(filters),
            ...ROW_QUERY,
            limit: PAGE_ROWS,
            cursor,
          }
        : { ...ROW_QUERY, id: pinnedIds };
    return await callApi<ListPage>('/admin/v1/generations', { query, signal });
  };
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    // Comparing a long list with itself for every page costs more than drawing what is in sight.
    structuralSharing: false,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    enabled: !isStopped,
    // In another order the same rows stay until the new ones have come, and the focus stays in the head of the table.
    placeholderData: (rows, before) =>
      before !== undefined && hashKey([before.queryKey[1]]) === hashKey([ofUnsorted]) ? rows : undefined,
  });
  const { fetchNextPage, hasNextPage, isFetching, refetch } = list;
  const newRows = useNewRows({
    listId,
    queryKey,
    filters,
    isPaused,
    isAtTop,
    fetchFirstPage: fetchPage,
    onRefresh: () => setStoppedId(undefined),
  });
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching && !isStopped) void fetchNextPage();
  }, [hasNextPage, isFetching, isStopped, fetchNextPage]);
  const stop = (): void => {
    setStoppedId(listId);
    void client.cancelQueries({ queryKey });
  };
  const goOn = (): void => {
    setStoppedId(undefined);
    if (list.data === undefined) void refetch();
    else void fetchNextPage();
  };
  const pages = list.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ data }) => data) ?? [], [pages]);
  const searched = useMemo(() => addUpSearch(pages ?? []), [pages]);
  const keyNames = useMemo(
    (): Readonly<Record<string, string>> =>
      Object.fromEntries((pages ?? []).flatMap((page) => Object.entries(page.key_names))),
    [pages],
  );
  const total = pages?.[0]?.total_estimate;
  return { ...list, ...newRows, rows, total, searched, keyNames, isStopped, loadMore, stop, goOn };
}
