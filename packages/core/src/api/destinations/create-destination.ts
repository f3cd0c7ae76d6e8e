import { chooseWorkspaceId } from '../../account/workspaces.ts';
import { parseConfig, refuseTooMany, refuseUnusable, toDestinationBody } from '../../broadcast/destinations.ts';
import { createUuid } from '../../foundation/random-id.ts';
import { operation } from '../../http/operation.ts';
import {
  createDestinationRequestSchema,
  type Destination,
  destinationResponseSchema,
} from '../../wire/destinations.ts';
import type { DestinationParts } from './destination-parts.ts';

/** `POST /observability/destinations` */
export const createDestination = operation<DestinationParts>()({
  body: createDestinationRequestSchema,
  response: destinationResponseSchema,
  status: 201,
  async run({ parts, body }) {
    const config = parseConfig(body.type, body.config);
    const workspaceId = await chooseWorkspaceId(body.workspace_id, parts);
    refuseTooMany(body.type, workspaceId, await parts.store.destinations.list());
    const now = new Date(parts.platform.now()).toISOString();
    const destination: Destination = {
      id: createUuid(parts.platform),
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
    await refuseUnusable(destination, parts);
    if (destination.enabled) await parts.broadcaster.begin(destination);
    await parts.store.destinations.insert(destination, (all) => refuseTooMany(body.type, workspaceId, all));
    await parts.broadcaster.refresh();
    return { data: toDestinationBody(destination) };
  },
});
