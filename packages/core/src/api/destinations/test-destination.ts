import { findDestination } from '../../broadcast/destinations.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/**
 * `POST /admin/v1/observability/destinations/{id}/test`: sends a request without content, once, whether the destination
 * is on or off. That it was sent is success of this operation; what came of it, the answer says.
 */
export async function testDestination({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  const { platform, broadcaster } = runtime;
  const destination = await findDestination(params['id'], runtime);
  const startedAt = platform.monotonicNow();
  const { isDelivered, result } = await broadcaster.test(destination);
  const durationMs = Math.round(platform.monotonicNow() - startedAt);
  return toJsonResponse(200, { data: { success: isDelivered, result, duration_ms: durationMs } });
}
