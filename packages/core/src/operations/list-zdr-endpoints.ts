import { toEndpointRecord } from '../catalog/to-model-record.ts';
import type { RequestContext } from '../context.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';

/** `GET /endpoints/zdr`: the endpoints that are known to keep nothing of what they are sent. */
export async function listZdrEndpoints({ runtime }: RequestContext): Promise<GatewayResponse> {
  const data = runtime.catalog
    .list()
    .flatMap((model) =>
      model.endpoints
        .filter(({ provider }) => provider.dataPolicy.retainsPrompts === false)
        .map((endpoint) => toEndpointRecord(model, endpoint)),
    );
  return toJsonResponse(200, { data });
}
