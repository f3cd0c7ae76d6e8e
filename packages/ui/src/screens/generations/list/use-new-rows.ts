import { type InfiniteData, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';

import type { ListPage, ListRow } from '../../../features/generations/list/list-row.ts';
import {
  belongsTo,
  type GenerationSearch,
  toSortQuery,
} from '../../../features/generations/search/generation-search.ts';
import { useFeed } from './use-feed.ts';

/** So many wait at most; beyond that the list is asked for again. */
const MAX_WAITING = 500;

interface NewRowsOptions {
  readonly queryKey: QueryKey;
  readonly filters: GenerationSearch;
  readonly isLive: boolean;
  readonly isAtTop: boolean;
  readonly fetchFirstPage: () => Promise<ListPage>;
  readonly onRefresh: () => void;
}

/** Calls that end while a list is shown: put on top, or held back while the user reads further down. */
export function useNewRows({ queryKey, filters, isLive, isAtTop, fetchFirstPage, onRefresh }: NewRowsOptions) {
  const client = useQueryClient();
  // Where new calls belong in another order than the newest first, the gateway alone can tell.
  const isSorted = toSortQuery(filters).sort !== undefined;
  const [waiting, setWaiting] = useState<readonly ListRow[]>([]);
  const [isStale, setIsStale] = useState(false);
  const read = useCallback(() => client.getQueryData<InfiniteData<ListPage>>(queryKey), [client, queryKey]);

  const prepend = useCallback(
    (rows: readonly ListRow[]) =>
      client.setQueryData<InfiniteData<ListPage>>(queryKey, (before) => {
        const [first, ...others] = before?.pages ?? [];
        if (before === undefined || first === undefined) return before;
        const fresh = withoutKnown(rows, first.data);
        const total = first.total_estimate === undefined ? {} : { total_estimate: first.total_estimate + fresh.length };
        return { ...before, pages: [{ ...first, ...total, data: [...fresh, ...first.data] }, ...others] };
      }),
    [client, queryKey],
  );
  const add = useCallback(
    (newestFirst: readonly ListRow[]) => {
      if (isAtTop) prepend(newestFirst);
      else setWaiting((before) => [...withoutKnown(newestFirst, before), ...before].slice(0, MAX_WAITING));
    },
    [isAtTop, prepend],
  );
  // Calls that ended while no connection was open are on the first page, unless they are too many.
  const catchUp = useCallback(async (): Promise<void> => {
    const known = read()?.pages[0]?.data;
    if (known === undefined || filters.pinned !== undefined) return;
    if (filters.text !== undefined || isSorted) return setIsStale(true);
    const page = await fetchFirstPage().catch(() => undefined);
    if (page === undefined) return setIsStale(true);
    const fresh = withoutKnown(page.data, known);
    if (known.length > 0 && fresh.length === page.data.length) return setIsStale(true);
    if (fresh.length > 0) add(fresh);
  }, [read, filters.pinned, filters.text, isSorted, fetchFirstPage, add]);

  // A list that was kept from before has missed what ended since.
  useEffect(() => {
    setWaiting([]);
    setIsStale(false);
    if (read() !== undefined) void catchUp();
    // Once for each list, not whenever its reader moves.
  }, [read]);

  const feed = useFeed(
    isLive,
    useCallback(
      (ended: readonly ListRow[]) => {
        const newestFirst = ended.toReversed();
        const isUnclear = (row: ListRow): boolean => belongsTo(row, filters) !== false;
        if (isSorted && newestFirst.some(isUnclear)) return setIsStale(true);
        if (newestFirst.some((row) => belongsTo(row, filters) === undefined)) setIsStale(true);
        const fitting = newestFirst.filter((row) => belongsTo(row, filters) === true);
        if (fitting.length > 0) add(fitting);
      },
      [filters, isSorted, add],
    ),
    useCallback(() => void catchUp(), [catchUp]),
  );
  const refresh = useCallback(() => {
    setWaiting([]);
    setIsStale(false);
    onRefresh();
    void client.resetQueries({ queryKey });
  }, [client, queryKey, onRefresh]);
  const showWaiting = (): void => {
    if (isStale || waiting.length >= MAX_WAITING) return refresh();
    prepend(waiting);
    setWaiting([]);
  };
  return { waiting: waiting.length, isStale, feed, refresh, showWaiting };
}

function withoutKnown(rows: readonly ListRow[], known: readonly ListRow[]): readonly ListRow[] {
  const ids = new Set(known.map(({ id }) => id));
  return rows.filter(({ id }) => !ids.has(id));
}
