import { noDestination } from '../../broadcast/destinations.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `DELETE /observability/destinations/{id}`: its secrets are gone with it, and what was still to be sent. */
export async function deleteDestination({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  const id = params['id'] ?? '';
  if (!(await runtime.store.destinations.remove(id))) throw noDestination(id);
  await runtime.broadcaster.refresh();
  return toJsonResponse(200, { deleted: true });
}
