import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import type { Page } from '../../api/types.ts';

export type DestinationType = 'webhook' | 'otel-collector' | 'langfuse' | 's3';

export interface FilterRule {
  readonly field: string;
  readonly operator: string;
  readonly value?: string | number;
}

export interface FilterRules {
  readonly enabled: boolean;
  readonly groups: readonly { readonly logic: 'and' | 'or'; readonly rules: readonly FilterRule[] }[];
}

/** Where generations are broadcast to. Secrets in `config` are masked. */
export interface Destination {
  readonly id: string;
  readonly type: DestinationType;
  readonly name: string;
  readonly enabled: boolean;
  readonly privacy_mode: boolean;
  /** A share: 1 is all. */
  readonly sampling_rate: number;
  readonly api_key_hashes: readonly string[] | null;
  readonly filter_rules: FilterRules | null;
  readonly broadcast_generation_cost: boolean;
  readonly broadcast_generation_identity: boolean;
  readonly broadcast_generation_request_context: boolean;
  readonly regions: readonly string[];
  readonly config: Readonly<Record<string, unknown>>;
}

/** A batch that has not arrived. */
export interface Delivery {
  readonly id: string;
  readonly destination_id: string;
  readonly generation_ids: readonly string[];
  readonly state: 'waiting' | 'failed';
  readonly attempts: number;
  readonly last_result: string | null;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
}

/** How a destination has done since the gateway started. */
export interface DestinationStanding {
  readonly destination_id: string;
  readonly queued: number;
  readonly last_delivered_at: string | null;
  readonly last_failed_at: string | null;
  readonly last_failure: string | null;
}

export interface DeliveryLog extends Page<Delivery> {
  readonly destinations: readonly DestinationStanding[];
}

export interface DestinationTest {
  readonly data: { readonly success: boolean; readonly result: string; readonly duration_ms: number };
}

const PAGE = 100;
const FRESH_MS = 5000;

export const destinationsQuery = queryOptions({
  queryKey: ['destinations'],
  queryFn: async ({ signal }): Promise<readonly Destination[]> =>
    (await callApi<Page<Destination>>('/api/v1/observability/destinations', { query: { limit: PAGE }, signal })).data,
});

/** What has not arrived; of all destinations without an id. Asked for again while somebody looks at it. */
export const deliveriesQuery = (destinationId?: string) =>
  queryOptions({
    queryKey: ['deliveries', destinationId],
    queryFn: ({ signal }) =>
      callApi<DeliveryLog>('/admin/v1/destinations/deliveries', {
        query: { destination_id: destinationId, limit: PAGE },
        signal,
      }),
    refetchInterval: FRESH_MS,
  });

/** Sends a request without content. That it does not arrive is no error of the call. Throws `ApiError`. */
export const testDestination = async (id: string): Promise<DestinationTest['data']> =>
  (await callApi<DestinationTest>(`/admin/v1/observability/destinations/${id}/test`, { method: 'POST' })).data;
