import { QueryClient } from '@tanstack/react-query';

import { ApiError } from './api-error.ts';

const STALE_MS = 15_000;
const KEPT_MS = 300_000;

/** What the screens have asked for. */
export const queryClient = new QueryClient({
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
