import { ApiError } from './api-error.ts';

interface RefreshedQuery {
  readonly state: { readonly data: unknown; readonly error: Error | null };
}

/**
 * The interval of a query that is to be loaded again and again. What has nothing to show while the gateway's database is
 * away waits for `recoverQueries`, or its panel would turn into a loading one and back all the time.
 */
export const refreshEvery =
  (ms: number | false) =>
  ({ state: { data, error } }: RefreshedQuery): number | false =>
    data === undefined && error instanceof ApiError && error.status === 503 ? false : ms;
