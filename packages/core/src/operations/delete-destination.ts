import { noDestination } from '../broadcast/destinations.ts';
import type { RequestContext } from '../context.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';

/** `DELETE /observability/destinations/{id}`: its secrets are gone with it. */
export async function deleteDestination({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  const id = params['id'] ?? '';
  if (!(await runtime.store.destinations.remove(id))) throw noDestination(id);
  return toJsonResponse(200, { deleted: true });
}
