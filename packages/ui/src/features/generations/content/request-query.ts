import type { StoredRequestReport } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../../api/call-api.ts';

/** The whole request of a call; null where none is stored. As large as the contents, it leaves the cache as soon. */
export const requestQuery = (id: string) =>
  queryOptions({
    queryKey: ['generation', id, 'request'],
    queryFn: async ({ signal }) => {
      const path = `/admin/v1/generations/${encodeURIComponent(id)}/request`;
      const query = { optional: 'true' };
      return (await callApi<{ data: StoredRequestReport | null }>(path, { query, signal })).data;
    },
    gcTime: 30_000,
    structuralSharing: false,
  });
