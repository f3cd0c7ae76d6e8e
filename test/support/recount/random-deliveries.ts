import type { Store } from '@model-gateway/core';

import { ALL_CALLS, NOW } from './random-calls.ts';

/*
 * What has not reached its destination, made up of the calls of `random-calls.ts` in lots of different sizes, and the same
 * in every run.
 */

type DestinationRow = Parameters<Store['destinations']['insert']>[0];
type BroadcastRow = Parameters<Store['broadcasts']['insert']>[0];
type DeliveryRow = Extract<BroadcastRow, { readonly kind: 'delivery' }>;

const HOUR_MS = 3_600_000;
const DEFAULT_WORKSPACE = '00000000-0000-4000-8000-000000000000';

/** The second has more deliveries than a page of their list. */
export const DESTINATIONS = [
  { id: '00000000-0000-4000-8000-0000000000d1', name: 'Data lake', share: 1, deliveries: 17 },
  { id: '00000000-0000-4000-8000-0000000000d2', name: 'Traces', share: 0.25, deliveries: 140 },
  { id: '00000000-0000-4000-8000-0000000000d3', name: 'Warehouse', share: 0.05, deliveries: 0 },
] as const;

export interface RecountDelivery extends Pick<DeliveryRow, 'id' | 'state' | 'attempts' | 'createdAt'> {
  readonly destinationId: string;
  readonly calls: number;
}

/** The oldest first, as the gateway stores them. */
export const DELIVERIES: readonly RecountDelivery[] = DESTINATIONS.flatMap(({ id: destinationId, deliveries }, nth) =>
  Array.from({ length: deliveries }, (_, at) => ({
    id: `delivery-${nth}-${String(at).padStart(3, '0')}`,
    destinationId,
    state: (at * 7 + nth) % 3 === 0 ? ('waiting' as const) : ('failed' as const),
    attempts: 1 + ((at * 5) % 11),
    calls: 1 + ((at * 13) % 50),
    createdAt: NOW - (deliveries - at) * HOUR_MS,
  })),
);

/** Nothing of them is sent while the clock stands still: the next attempt is hours away, or there is none. */
export async function storeDeliveries(store: Pick<Store, 'destinations' | 'broadcasts'>): Promise<void> {
  const at = new Date(NOW).toISOString();
  for (const { id, name, share } of DESTINATIONS) {
    const row: DestinationRow = {
      id,
      workspace_id: DEFAULT_WORKSPACE,
      type: 'webhook',
      name,
      enabled: true,
      privacy_mode: false,
      sampling_rate: share,
      api_key_hashes: null,
      filter_rules: null,
      broadcast_generation_cost: true,
      broadcast_generation_identity: true,
      broadcast_generation_request_context: true,
      regions: ['global'],
      config: { url: 'https://collector.example/calls', method: 'POST' },
      created_at: at,
      updated_at: at,
    };
    await store.destinations.insert(row);
  }
  let used = 0;
  for (const { calls, ...delivery } of DELIVERIES) {
    const generationIds = ALL_CALLS.slice(used, used + calls).map(({ id }) => id);
    used += calls;
    await store.broadcasts.insert({
      kind: 'delivery',
      ...delivery,
      generationIds,
      nextAttemptAt: NOW + 5 * HOUR_MS,
      lastResult: '503',
    });
  }
}
