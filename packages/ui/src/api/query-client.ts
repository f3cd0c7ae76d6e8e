import { QueryCache, QueryClient } from '@tanstack/react-query';

import { ApiError } from './api-error.ts';
import { endSession } from './session.ts';

const STALE_MS = 15_000;
const KEPT_MS = 300_000;

/** What the screens have asked for. A session that is not valid any more ends at its first refusal. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error) {
      if (error instanceof ApiError && error.status === 401) endSession();
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: STALE_MS,
      gcTime: KEPT_MS,
      // What the gateway refuses, it refuses again.
      retry: (failures, error) =>
        failures < 1 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
  },
});
