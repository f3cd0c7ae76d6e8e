import type { BroadcastDeliveryList, Destination, DestinationTest } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { readAll, refreshEvery } from '../../api/queries.ts';
import { ifPermitted } from '../../api/session.ts';

export type FilterRules = NonNullable<Destination['filter_rules']>;
export type FilterRule = FilterRules['groups'][number]['rules'][number];

export type DestinationStatus = BroadcastDeliveryList['destinations'][number];

const PAGE = 100;
const FRESH_MS = 5000;

export const destinationsQuery = queryOptions({
  queryKey: ['destinations'],
  queryFn: ifPermitted(
    'listDestinations',
    ({ signal }): Promise<readonly Destination[]> =>
      readAll<Destination>('/api/v1/observability/destinations', PAGE, signal),
    [],
  ),
});

/** Deliveries that have not arrived; without an id, those of all destinations. Repeated while the list is visible. */
export const deliveriesQuery = (destinationId?: string) =>
  queryOptions({
    queryKey: ['deliveries', destinationId],
    queryFn: ({ signal }) =>
      callApi<BroadcastDeliveryList>('/admin/v1/destinations/deliveries', {
        query: { destination_id: destinationId, limit: PAGE },
        signal,
      }),
    refetchInterval: refreshEvery(FRESH_MS),
  });

/** Sends a request without content. That it does not arrive is no error of the call. Throws `ApiError`. */
export const testDestination = async (id: string): Promise<DestinationTest['data']> =>
  (await callApi<DestinationTest>(`/admin/v1/observability/destinations/${id}/test`, { method: 'POST' })).data;

export const changeDestination = async (id: string, change: Record<string, unknown>): Promise<Destination> =>
  (await callApi<{ data: Destination }>(`/api/v1/observability/destinations/${id}`, { method: 'PATCH', body: change }))
    .data;
