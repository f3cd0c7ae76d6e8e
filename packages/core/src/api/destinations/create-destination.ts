import { chooseWorkspaceId } from '../../auth/workspaces.ts';
import { parseConfig, refuseTooMany, refuseUnusable, toDestinationBody } from '../../broadcast/destinations.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { createUuid } from '../../foundation/random-id.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { createDestinationRequestSchema, type Destination } from '../../wire/destinations/destination.ts';
import { parseWith } from '../../foundation/parse-with.ts';

/** `POST /observability/destinations` */
export async function createDestination({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const body = parseWith(createDestinationRequestSchema, await readJsonBody(request));
  const config = parseConfig(body.type, body.config);
  const workspaceId = await chooseWorkspaceId(body.workspace_id, runtime);
  await refuseTooMany(body.type, workspaceId, runtime);
  const now = new Date(runtime.platform.now()).toISOString();
  const destination: Destination = {
    id: createUuid(runtime.platform),
    workspace_id: workspaceId,
    type: body.type,
    name: body.name,
    enabled: body.enabled ?? true,
    privacy_mode: body.privacy_mode ?? false,
    sampling_rate: body.sampling_rate ?? 1,
    api_key_hashes: body.api_key_hashes ?? null,
    filter_rules: body.filter_rules ?? null,
    broadcast_generation_cost: body.broadcast_generation_cost ?? true,
    broadcast_generation_identity: body.broadcast_generation_identity ?? true,
    broadcast_generation_request_context: body.broadcast_generation_request_context ?? true,
    regions: body.regions ?? ['global'],
    config,
    created_at: now,
    updated_at: now,
  };
  await refuseUnusable(destination, runtime);
  await runtime.store.destinations.insert(destination);
  await runtime.broadcaster.refresh();
  return toJsonResponse(201, { data: toDestinationBody(destination) });
}
