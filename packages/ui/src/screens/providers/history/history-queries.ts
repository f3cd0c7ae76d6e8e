import type { ProviderHistory, ProviderHistoryList } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../../api/call-api.ts';
import { refreshEvery } from '../../../api/queries.ts';
import { DAY_MS, HOUR_MS, toDayStart } from '../../../format/days.ts';

/** Whoever has just tried a provider looks here for the call. */
const EVERY_MS = 5000;

/** The last 24 hours, or today and the six days before. */
export type HistorySpan = 'day' | 'week';

/** When a span begins, in Unix milliseconds: a day 24 hours before the next full hour, a week at a midnight. */
export function beginOfSpan(span: HistorySpan, now: Date): number {
  if (span === 'day') return (Math.floor(now.getTime() / HOUR_MS) - 23) * HOUR_MS;
  // By the calendar, which on two days of a year is not by 24 hours: half a day more or less is within the same day.
  return toDayStart(toDayStart(now.getTime()) - 6 * DAY_MS + 12 * HOUR_MS);
}

/** What became of the calls to a provider, hour by hour up to now. */
export const providerHistoryQuery = (slug: string, span: HistorySpan) =>
  queryOptions({
    queryKey: ['provider-history', slug, span],
    queryFn: ({ signal }) => {
      const from = new Date(beginOfSpan(span, new Date())).toISOString();
      return callApi<ProviderHistory>(`/admin/v1/providers/${slug}/history`, { query: { from }, signal });
    },
    refetchInterval: refreshEvery(EVERY_MS),
  });

/** The same of all providers, of the last 24 hours. */
export const providerHistoriesQuery = queryOptions({
  queryKey: ['provider-histories'],
  queryFn: async ({ signal }) => (await callApi<ProviderHistoryList>('/admin/v1/providers/history', { signal })).data,
  refetchInterval: refreshEvery(EVERY_MS),
});
