import {
  findDestination,
  mergeConfig,
  noDestination,
  parseConfig,
  toDestinationBody,
} from '../broadcast/destinations.ts';
import type { RequestContext } from '../context.ts';
import { readJsonBody } from '../read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';
import { updateDestinationRequestSchema } from '../schemas/destination.ts';
import { givenFields } from '../schemas/given-fields.ts';
import { parseWith } from '../schemas/parse-with.ts';

/** `PATCH /observability/destinations/{id}`: a secret sent back as it was shown stays what it is. */
export async function updateDestination({ request, params, runtime }: RequestContext): Promise<GatewayResponse> {
  const { id } = await findDestination(params['id'], runtime);
  const { config, ...body } = parseWith(updateDestinationRequestSchema, await readJsonBody(request));
  const updated = await runtime.store.destinations.update(id, (destination) => ({
    ...destination,
    ...givenFields(body),
    config:
      config === undefined
        ? destination.config
        : parseConfig(destination.type, mergeConfig(destination.config, config)),
    updated_at: new Date(runtime.platform.now()).toISOString(),
  }));
  if (updated === undefined) throw noDestination(id);
  return toJsonResponse(200, { data: toDestinationBody(updated) });
}
