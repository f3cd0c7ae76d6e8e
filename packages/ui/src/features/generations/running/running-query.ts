import type { RunningCallRow } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../../api/call-api.ts';
import { refreshEvery } from '../../../api/queries.ts';
import { may } from '../../../api/session.ts';
import { runningMessages } from './messages.ts';

export interface RunningCalls {
  readonly data: readonly RunningCallRow[];
  readonly total_count: number;
  readonly key_names: Readonly<Record<string, string>>;
}

/** The interval while there is something to watch, or where the requests themselves are what the user looks at. */
export const BUSY_MS = 1000;
const IDLE_MS = 5000;

/** The calls that have not ended, those that run longest first. */
export const runningQuery = queryOptions({
  queryKey: ['running'],
  staleTime: 0,
  retry: false,
  queryFn: ({ signal }): Promise<RunningCalls> =>
    may('listRunningCalls')
      ? callApi<RunningCalls>('/admin/v1/generations/running', { signal })
      : Promise.resolve({ data: [], total_count: 0, key_names: {} }),
  refetchInterval: (query) => refreshEvery((query.state.data?.total_count ?? 0) > 0 ? BUSY_MS : IDLE_MS)(query),
});

/** A shorter call would end before its line can be read, and the page would jump with each. */
const LEAST_MS = 1000;

/** The calls that are worth a line, and the number of all others. */
export function toShownCalls(
  calls: readonly RunningCallRow[],
  limit: number,
): { readonly shown: readonly RunningCallRow[]; readonly others: number } {
  const lasting = calls.filter(({ elapsed_ms: elapsedMs }) => elapsedMs >= LEAST_MS);
  return { shown: lasting.slice(0, limit), others: Math.max(0, lasting.length - limit) };
}

/** What a request does right now, as a person says it. Read when it is shown, as the language may change. */
export const toRunningState = (
  state: RunningCallRow['state'],
): { readonly label: string; readonly meaning: string } => {
  const { states, meanings } = runningMessages();
  return { label: states[state], meaning: meanings[state] };
};
