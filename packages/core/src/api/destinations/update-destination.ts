import {
  findDestination,
  mergeConfig,
  noDestination,
  parseConfig,
  refuseUnusable,
  toDestinationBody,
} from '../../broadcast/destinations.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { type Destination, updateDestinationRequestSchema } from '../../wire/destinations/destination.ts';
import { givenFields } from '../../wire/given-fields.ts';
import { parseWith } from '../../foundation/parse-with.ts';

/** `PATCH /observability/destinations/{id}`: a secret sent back as it was shown stays what it is. */
export async function updateDestination({ request, params, runtime }: RequestContext): Promise<GatewayResponse> {
  const found = await findDestination(params['id'], runtime);
  const { config, ...body } = parseWith(updateDestinationRequestSchema, await readJsonBody(request));
  const change = (destination: Destination): Destination => ({
    ...destination,
    ...givenFields(body),
    config:
      config === undefined
        ? destination.config
        : parseConfig(destination.type, mergeConfig(destination.config, config)),
    updated_at: new Date(runtime.platform.now()).toISOString(),
  });
  const changed = change(found);
  // One that does not work here any more can still be renamed and switched off.
  if (config !== undefined || changed.enabled) await refuseUnusable(changed, runtime);
  const updated = await runtime.store.destinations.update(found.id, change);
  if (updated === undefined) throw noDestination(found.id);
  await runtime.broadcaster.refresh();
  return toJsonResponse(200, { data: toDestinationBody(updated) });
}
