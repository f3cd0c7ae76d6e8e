import { hashKey, type InfiniteData, type QueryKey, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';

import { ApiError } from '../../api/api-error.ts';

type InfiniteList<Row> = UseInfiniteQueryResult<InfiniteData<{ readonly data: readonly Row[] }>>;

interface InfiniteRows<Row> {
  readonly rows: readonly Row[] | undefined;
  readonly loadMore: () => void;
  /** Why the next page could not be loaded, for `MoreNotLoaded`. */
  readonly moreError: Error | null;
}

/** The rows of all pages that are there, and what asks for the next: not again by itself where it could not be loaded. */
export function useInfiniteRows<Row>(query: InfiniteList<Row>, queryKey: QueryKey): InfiniteRows<Row> {
  const { data, hasNextPage, isFetching, fetchNextPage } = query;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data), [data]);
  const moreError = useMoreError(query, hashKey(queryKey));
  const hasFailed = moreError !== null;
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching && !hasFailed) void fetchNextPage();
  }, [hasNextPage, isFetching, hasFailed, fetchNextPage]);
  return { rows, loadMore, moreError };
}

interface MoreFailure {
  readonly error: Error;
  /** The list that it is of. */
  readonly list: string;
  /** How many pages were there. */
  readonly pages: number;
}

/**
 * Why the next page could not be loaded. The query forgets that when it loads the pages that are there again, as many do
 * every few seconds, so that it is kept here until the next page comes.
 */
function useMoreError(query: InfiniteList<unknown>, list: string): Error | null {
  const { data, error, hasNextPage, isFetchNextPageError } = query;
  const [kept, setKept] = useState<MoreFailure | null>(null);
  const pages = data?.pages.length ?? 0;
  if (isFetchNextPageError) {
    if (kept?.error !== error || kept.list !== list || kept.pages !== pages) setKept({ error, list, pages });
    return error;
  }
  if (kept === null) return null;
  const isBack = error === null && isOfAbsence(kept.error);
  if (hasNextPage && !isBack && kept.list === list && kept.pages === pages) return kept.error;
  setKept(null);
  return null;
}

/** The gateway or its database was away. What failed so is loaded by itself when they are back. */
const isOfAbsence = (error: Error): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 503);
