import type { StoredRequestReport } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { ApiError } from '../../../api/api-error.ts';
import { callApi } from '../../../api/call-api.ts';

/** The whole request of a call; null where none is stored. As large as the contents, it leaves the cache as soon. */
export const requestQuery = (id: string) =>
  queryOptions({
    queryKey: ['generation', id, 'request'],
    queryFn: async ({ signal }) => {
      const path = `/admin/v1/generations/${encodeURIComponent(id)}/request`;
      try {
        return (await callApi<{ data: StoredRequestReport }>(path, { signal })).data;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
    gcTime: 30_000,
    structuralSharing: false,
  });
