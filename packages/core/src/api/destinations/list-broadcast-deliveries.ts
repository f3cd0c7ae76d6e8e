import { toDeliveryBody } from '../../broadcast/to-delivery-body.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { broadcastDeliveriesQuerySchema } from '../../wire/destinations/broadcast-delivery.ts';
import { readQuery } from '../../wire/page-query.ts';

/** `GET /admin/v1/destinations/deliveries`: what has not reached its destination, newest first. */
export async function listBroadcastDeliveries({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const { state, destination_id: wanted, limit } = readQuery(broadcastDeliveriesQuerySchema, request.query);
  const rows = await runtime.store.broadcasts.list();
  const deliveries = rows
    .toReversed()
    .filter((row) => row.kind === 'delivery')
    .filter((row) => state === undefined || row.state === state)
    .filter((row) => wanted === undefined || row.destinationId === wanted);
  return toJsonResponse(200, {
    data: deliveries.slice(0, limit).map(toDeliveryBody),
    total_count: deliveries.length,
    destinations: [...runtime.broadcaster.status()].map(([id, { queued, lastDeliveredAt, lastFailure }]) => ({
      destination_id: id,
      queued,
      last_delivered_at: toTime(lastDeliveredAt),
      last_failed_at: toTime(lastFailure?.at ?? null),
      last_failure: lastFailure?.result ?? null,
    })),
  });
}

function toTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
