import { findDestination } from '../../broadcast/destinations.ts';
import { operation } from '../../http/operation.ts';
import { destinationTestSchema } from '../../wire/destinations.ts';
import type { DestinationParts } from './destination-parts.ts';

/**
 * `POST /admin/v1/observability/destinations/{id}/test`: sends a request without content, once, whether the destination
 * is on or off. The operation succeeds when the request was sent; the response contains its result.
 */
export const testDestination = operation<DestinationParts>()({
  params: ['id'],
  response: destinationTestSchema,
  async run({ params, parts: { platform, broadcaster, store } }) {
    const destination = await findDestination(params.id, { store });
    const startedAt = platform.monotonicNow();
    const { isDelivered, result } = await broadcaster.test(destination);
    const durationMs = Math.round(platform.monotonicNow() - startedAt);
    return { data: { success: isDelivered, result, duration_ms: durationMs } };
  },
});
