import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';

/** The rows of all pages that are there, and what asks for the next: not again by itself where it could not be loaded. */
export function useInfiniteRows<Row>(query: UseInfiniteQueryResult<InfiniteData<{ readonly data: readonly Row[] }>>): {
  readonly rows: readonly Row[] | undefined;
  readonly loadMore: () => void;
} {
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data), [data]);
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);
  return { rows, loadMore };
}
