import { listDeliveriesOf } from '../../broadcast/list-deliveries-of.ts';
import { toDeliveryBody } from '../../broadcast/to-delivery-body.ts';
import { operation } from '../../http/operation.ts';
import {
  broadcastDeliveriesQuerySchema,
  broadcastDeliveryListSchema,
} from '../../wire/destinations/broadcast-delivery.ts';
import type { DestinationParts } from './destination-parts.ts';

/** `GET /admin/v1/destinations/deliveries`: what has not reached its destination, newest first. */
export const listBroadcastDeliveries = operation<DestinationParts>()({
  query: broadcastDeliveriesQuerySchema,
  response: broadcastDeliveryListSchema,
  async run({ parts, query: { state, destination_id: wanted, limit } }) {
    const { broadcasts } = parts.store;
    const rows = wanted === undefined ? await broadcasts.list() : await listDeliveriesOf(wanted, broadcasts);
    const deliveries = rows
      .toReversed()
      .filter((row) => row.kind === 'delivery')
      .filter((row) => state === undefined || row.state === state);
    return {
      data: deliveries.slice(0, limit).map(toDeliveryBody),
      total_count: deliveries.length,
      destinations: [...(await parts.broadcaster.status())].map(([id, { queued, lastDeliveredAt, lastFailure }]) => ({
        destination_id: id,
        queued,
        last_delivered_at: toTime(lastDeliveredAt),
        last_failed_at: toTime(lastFailure?.at ?? null),
        last_failure: lastFailure?.result ?? null,
      })),
    };
  },
});

function toTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
