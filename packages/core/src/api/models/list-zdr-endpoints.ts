import { toEndpointRecord } from '../../catalog/to-model-record.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { findShownEndpoints } from '../../dispatch/usable-endpoints.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `GET /endpoints/zdr`: the endpoints that are known to keep nothing of what they are sent. */
export async function listZdrEndpoints(context: RequestContext): Promise<GatewayResponse> {
  const shown = await findShownEndpoints(context);
  const data = context.runtime.catalog.list().flatMap((model) =>
    shown(model)
      .filter(({ provider }) => provider.dataPolicy.retainsPrompts === false)
      .map((endpoint) => toEndpointRecord(model, endpoint)),
  );
  return toJsonResponse(200, { data });
}
