import { pageDeliveries, toDeliveryBody } from '../../broadcast/deliveries.ts';
import { operation } from '../../http/operation.ts';
import { broadcastDeliveriesQuerySchema, broadcastDeliveryListSchema } from '../../wire/destinations.ts';
import type { DestinationParts } from './destination-parts.ts';

/** `GET /admin/v1/destinations/deliveries`: what has not reached its destination, newest first. */
export const listBroadcastDeliveries = operation<DestinationParts>()({
  query: broadcastDeliveriesQuerySchema,
  response: broadcastDeliveryListSchema,
  async run({ parts, query: { state, destination_id: destinationId, limit } }) {
    const { broadcasts } = parts.store;
    const { deliveries, totalCount } = await pageDeliveries(broadcasts, { destinationId, state, limit });
    return {
      data: deliveries.map(toDeliveryBody),
      total_count: totalCount,
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
