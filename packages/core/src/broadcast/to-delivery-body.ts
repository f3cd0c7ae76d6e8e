import type { BroadcastDelivery } from '../stores/rows.ts';
import type { BroadcastDeliveryBody } from '../wire/destinations.ts';

/** A delivery as management sees it. */
export function toDeliveryBody(delivery: BroadcastDelivery): BroadcastDeliveryBody {
  const isWaiting = delivery.state === 'waiting';
  return {
    id: delivery.id,
    destination_id: delivery.destinationId,
    generation_ids: [...delivery.generationIds],
    state: delivery.state,
    attempts: delivery.attempts,
    last_result: delivery.lastResult,
    next_attempt_at: isWaiting ? new Date(delivery.nextAttemptAt).toISOString() : null,
    created_at: new Date(delivery.createdAt).toISOString(),
  };
}
