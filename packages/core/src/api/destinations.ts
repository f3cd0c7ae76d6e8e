import { chooseWorkspaceId } from '../account/workspaces.ts';
import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import type { Broadcaster } from '../broadcast/broadcaster.ts';
import { pageDeliveries, toDeliveryBody } from '../broadcast/deliveries.ts';
import type { BroadcastOptions } from '../broadcast/destination-format.ts';
import type { QueueStatus } from '../broadcast/destination-queue.ts';
import {
  findDestination,
  mergeConfig,
  noDestination,
  parseConfig,
  refuseMovedSecrets,
  refuseTooMany,
  refuseUnusable,
  toDestinationBody,
} from '../broadcast/destinations.ts';
import { GatewayError } from '../foundation/errors.ts';
import { createUuid, type Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import type { Store } from '../stores/store.ts';
import {
  broadcastDeliveriesQuerySchema,
  broadcastDeliveryListSchema,
  broadcastDeliveryResponseSchema,
  createDestinationRequestSchema,
  type Destination,
  destinationListSchema,
  destinationResponseSchema,
  destinationTestSchema,
  updateDestinationRequestSchema,
} from '../wire/destinations.ts';
import { deletedSchema, givenFields, toPage, workspacePageQuerySchema } from '../wire/fields.ts';

export interface DestinationParts {
  readonly platform: Platform;
  readonly store: Pick<Store, 'broadcasts' | 'destinations' | 'workspaces'>;
  readonly broadcaster: Broadcaster;
  /** Undefined: nothing is sent to destinations. */
  readonly broadcast: BroadcastOptions | undefined;
}

/** `GET /observability/destinations`: those of one workspace. */
export const listDestinations = operation<DestinationParts>()({
  query: workspacePageQuerySchema,
  response: destinationListSchema,
  async run({ parts, query }) {
    const wanted = query.workspace_id ?? DEFAULT_WORKSPACE_ID;
    const found = (await parts.store.destinations.list()).filter(({ workspace_id: id }) => id === wanted);
    return toPage(found.map(toDestinationBody), query);
  },
});

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
      audit_log: body.audit_log ?? false,
      metrics_every_seconds: body.metrics_every_seconds ?? null,
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

/** `GET /observability/destinations/{id}` */
export const getDestination = operation<DestinationParts>()({
  params: ['id'],
  response: destinationResponseSchema,
  async run({ params, parts }) {
    return { data: toDestinationBody(await findDestination(params.id, parts)) };
  },
});

/** `PATCH /observability/destinations/{id}`: a secret sent back as it was shown stays what it is. */
export const updateDestination = operation<DestinationParts>()({
  params: ['id'],
  body: updateDestinationRequestSchema,
  response: destinationResponseSchema,
  find: ({ params, parts }) => findDestination(params.id, parts),
  async run({ parts, body: { config, ...body }, found }) {
    const configure = ({ type, config: stored }: Destination): Destination['config'] => {
      if (config === undefined) return stored;
      const next = parseConfig(type, mergeConfig(stored, config));
      refuseMovedSecrets(stored, config, next);
      return next;
    };
    const change = (destination: Destination): Destination => ({
      ...destination,
      ...givenFields(body),
      config: configure(destination),
      updated_at: new Date(parts.platform.now()).toISOString(),
    });
    const changed = change(found);
    // A destination that no longer works here can still be renamed and switched off.
    if (config !== undefined || changed.enabled) await refuseUnusable(changed, parts);
    const updated = await parts.store.destinations.update(found.id, change);
    if (updated === undefined) throw noDestination(found.id);
    await parts.broadcaster.refresh();
    return { data: toDestinationBody(updated) };
  },
});

/** `DELETE /observability/destinations/{id}`: its secrets are gone with it, and what was still to be sent. */
export const deleteDestination = operation<DestinationParts>()({
  params: ['id'],
  response: deletedSchema,
  async run({ params: { id }, parts }) {
    if (!(await parts.store.destinations.remove(id))) throw noDestination(id);
    await parts.broadcaster.refresh();
    return { deleted: true };
  },
});

/**
 * `POST /admin/v1/observability/destinations/{id}/test`: sends a request without content, once, whether the destination
 * is on or off. The operation succeeds when the request was sent; the response contains its result.
 */
export const testDestination = operation<DestinationParts>()({
  params: ['id'],
  response: destinationTestSchema,
  async run({ params, parts: { platform, broadcaster, store } }) {
    const destination = await findDestination(params.id, { store });
    const startedAt = platform.monotonicNow();
    const { isDelivered, result } = await broadcaster.test(destination);
    const durationMs = Math.round(platform.monotonicNow() - startedAt);
    return { data: { success: isDelivered, result, duration_ms: durationMs } };
  },
});

/** `GET /admin/v1/destinations/deliveries`: what has not reached its destination, newest first. */
export const listBroadcastDeliveries = operation<DestinationParts>()({
  query: broadcastDeliveriesQuerySchema,
  response: broadcastDeliveryListSchema,
  async run({ parts, query: { state, destination_id: destinationId, limit } }) {
    const { broadcasts } = parts.store;
    const { deliveries, totalCount } = await pageDeliveries(broadcasts, { destinationId, state, limit });
    const audits = await parts.broadcaster.auditStatus();
    const metrics = parts.broadcaster.metricsStatus();
    return {
      data: deliveries.map(toDeliveryBody),
      total_count: totalCount,
      destinations: [...(await parts.broadcaster.status())].map(([id, status]) => {
        const more = { audit: toBodyOrNull(audits.get(id)), metrics: toBodyOrNull(metrics.get(id)) };
        return { destination_id: id, ...toStatusBody(status), ...more };
      }),
    };
  },
});

const toStatusBody = ({ queued, lastDeliveredAt, lastFailure }: QueueStatus) => ({
  queued,
  last_delivered_at: toTime(lastDeliveredAt),
  last_failed_at: toTime(lastFailure?.at ?? null),
  last_failure: lastFailure?.result ?? null,
});

const toBodyOrNull = (status: QueueStatus | undefined) => (status === undefined ? null : toStatusBody(status));

function toTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/**
 * `POST /admin/v1/destinations/deliveries/{id}/resend`: sends a failed delivery again with the same ids, by which
 * receivers recognise a repetition.
 */
export const resendBroadcast = operation<DestinationParts>()({
  params: ['id'],
  response: broadcastDeliveryResponseSchema,
  status: 202,
  async run({ params: { id }, parts }) {
    const renewed = await parts.broadcaster.resend(id);
    if (renewed === undefined) {
      throw new GatewayError(
        'not_found',
        `There is no delivery ${id.slice(0, 100)} to a destination that is on; a destination that is off sends nothing`,
      );
    }
    return { data: toDeliveryBody(renewed) };
  },
});
