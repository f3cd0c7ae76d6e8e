import type { RunningCallRow } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../../api/call-api.ts';
import { refreshEvery } from '../../../api/queries.ts';

export interface RunningCalls {
  readonly data: readonly RunningCallRow[];
  readonly total_count: number;
  readonly key_names: Readonly<Record<string, string>>;
}

const REFRESH_MS = 1000;

/** The calls that have not ended, those that run longest first. */
export const runningQuery = queryOptions({
  queryKey: ['running'],
  refetchInterval: refreshEvery(REFRESH_MS),
  staleTime: 0,
  retry: false,
  queryFn: ({ signal }) => callApi<RunningCalls>('/admin/v1/generations/running', { signal }),
});
