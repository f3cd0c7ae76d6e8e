import { findDestination, toDestinationBody } from '../../broadcast/destinations.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `GET /observability/destinations/{id}` */
export async function getDestination({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  return toJsonResponse(200, { data: toDestinationBody(await findDestination(params['id'], runtime)) });
}
