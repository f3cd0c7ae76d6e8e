import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import type { GenerationList } from '../../api/types.ts';
import { usePreferences } from '../../shell/preferences.ts';
import { belongsTo, type GenerationSearch, toGenerationQuery } from './generation-search.ts';
import { type ListPage, type ListRow, toListRow } from './list-row.ts';
import { MAX_PINS } from './pins.ts';
import { addUpSearch } from './search-progress.ts';
import { useFeed } from './use-feed.ts';

const PAGE_ROWS = 200;
/** A page may be empty while the gateway searches; so many in a row are asked for at once. */
const MAX_WAITING = 500;

/** The list for the filters, page by page, with what ends meanwhile waiting or put on top. */
export function useGenerations(search: GenerationSearch, isLive: boolean, isAtTop: boolean) {
  const client = useQueryClient();
  const pins = usePreferences().pins.slice(0, MAX_PINS).join(',');
  const [waiting, setWaiting] = useState<readonly ListRow[]>([]);
  const [isStale, setIsStale] = useState(false);
  const [isStopped, setIsStopped] = useState(false);
  // The gateway's filters alone: neither what is open nor what is compared asks for the list again.
  const { open: _open, compare: _compare, ...filters } = search;
  const filterText = JSON.stringify(filters);
  const pinnedIds = search.pinned === undefined ? undefined : pins;
  const key = useMemo(() => ['generations', filterText, pinnedIds], [filterText, pinnedIds]);
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam, signal }): Promise<ListPage> => {
      if (pinnedIds === '') return { data: [], next_cursor: null, key_names: {} };
      const query =
        pinnedIds === undefined
          ? { ...toGenerationQuery(filters, Date.now()), limit: PAGE_ROWS, cursor: pageParam }
          : { id: pinnedIds };
      const page = await callApi<GenerationList>('/admin/v1/generations', { query, signal });
      return { ...page, data: page.data.map(toListRow) };
    },
    // Comparing a long list with itself for every page costs more than drawing what is in sight.
    structuralSharing: false,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    // A search is not begun again on the way back to it.
    enabled: !isStopped,
  });
  const { fetchNextPage, hasNextPage, isFetching, refetch } = list;

  const prepend = useCallback(
    (rows: readonly ListRow[]) =>
      client.setQueryData<InfiniteData<ListPage>>(key, (before) => {
        const [first, ...others] = before?.pages ?? [];
        if (before === undefined || first === undefined) return before;
        const known = new Set(first.data.map(({ id }) => id));
        const fresh = rows.filter(({ id }) => !known.has(id));
        const total = first.total_estimate === undefined ? {} : { total_estimate: first.total_estimate + fresh.length };
        return { ...before, pages: [{ ...first, ...total, data: [...fresh, ...first.data] }, ...others] };
      }),
    [client, key],
  );
  const refresh = useCallback(() => {
    setWaiting([]);
    setIsStale(false);
    setIsStopped(false);
    void client.resetQueries({ queryKey: key });
  }, [client, key]);
  useEffect(() => {
    setWaiting([]);
    setIsStopped(false);
  }, [key]);

  const feed = useFeed(
    isLive,
    useCallback(
      (ended: readonly ListRow[]) => {
        const current = JSON.parse(filterText) as GenerationSearch;
        const newestFirst = ended.toReversed();
        const fitting = newestFirst.filter((row) => belongsTo(row, current) === true);
        if (newestFirst.some((row) => belongsTo(row, current) === undefined)) setIsStale(true);
        if (fitting.length === 0) return;
        if (isAtTop) prepend(fitting);
        else setWaiting((before) => [...fitting, ...before].slice(0, MAX_WAITING));
      },
      [filterText, isAtTop, prepend],
    ),
    useCallback(() => setIsStale(true), []),
  );

  const showWaiting = (): void => {
    if (isStale || waiting.length >= MAX_WAITING) return refresh();
    prepend(waiting);
    setWaiting([]);
  };
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching && !isStopped) void fetchNextPage();
  }, [hasNextPage, isFetching, isStopped, fetchNextPage]);
  const stop = (): void => {
    setIsStopped(true);
    void client.cancelQueries({ queryKey: key });
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
  return {
    ...list,
    rows,
    total,
    waiting: waiting.length,
    isStale,
    feed,
    searched,
    keyNames,
    isStopped,
    showWaiting,
    refresh,
    loadMore,
    stop,
    goOn,
  };
}
