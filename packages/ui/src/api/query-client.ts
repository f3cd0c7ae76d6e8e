import { QueryClient } from '@tanstack/react-query';

import { ApiError } from './api-error.ts';

const STALE_MS = 15_000;
const KEPT_MS = 300_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_MS,
      gcTime: KEPT_MS,
      // A request that the gateway refused would be refused again.
      retry: (failures, error) =>
        failures < 1 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
  },
});
