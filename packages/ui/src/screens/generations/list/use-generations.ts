import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';

import { callApi } from '../../../api/call-api.ts';
import { usePreferences } from '../../../app/preferences.ts';
import { type ListPage, ROW_QUERY, toListRow } from '../../../features/generations/list/list-row.ts';
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
export function useGenerations(search: GenerationSearch, isLive: boolean, isAtTop: boolean) {
  const client = useQueryClient();
  const pins = usePreferences().pins.slice(0, MAX_PINS).join(',');
  const [isStopped, setIsStopped] = useState(false);
  // The gateway's filters alone: neither what is open nor what is compared asks for the list again.
  const { open: _open, compare: _compare, tab: _tab, ...given } = search;
  const filterText = JSON.stringify(given);
  const filters = useMemo(() => JSON.parse(filterText) as GenerationSearch, [filterText]);
  const pinnedIds = filters.pinned === undefined ? undefined : pins;
  const sortText = JSON.stringify(toSortQuery(filters));
  const unsortedText = JSON.stringify(withoutFilters(filters, ['sort', 'order']));
  const queryKey = useMemo(
    () => ['generations', unsortedText, pinnedIds, sortText],
    [unsortedText, pinnedIds, sortText],
  );
  const fetchPage = useCallback(
    async (cursor?: string, signal?: AbortSignal): Promise<ListPage> => {
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
      const page = await callApi<ListPage>('/admin/v1/generations', { query, signal });
      return { ...page, data: page.data.map(toListRow) };
    },
    [filters, pinnedIds],
  );
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
    placeholderData: (rows, before) => (before?.queryKey[1] === unsortedText ? rows : undefined),
  });
  const { fetchNextPage, hasNextPage, isFetching, refetch } = list;
  useEffect(() => setIsStopped(false), [queryKey]);
  const onRefresh = useCallback(() => setIsStopped(false), []);
  const newRows = useNewRows({ queryKey, filters, isLive, isAtTop, fetchFirstPage: fetchPage, onRefresh });

  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching && !isStopped) void fetchNextPage();
  }, [hasNextPage, isFetching, isStopped, fetchNextPage]);
  const stop = (): void => {
    setIsStopped(true);
    void client.cancelQueries({ queryKey });
  };
  const goOn = (): void => {
    setIsStopped(false);
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
