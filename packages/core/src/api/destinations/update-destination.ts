import {
  findDestination,
  mergeConfig,
  noDestination,
  parseConfig,
  refuseUnusable,
  toDestinationBody,
} from '../../broadcast/destinations.ts';
import { operation } from '../../http/operation.ts';
import {
  type Destination,
  destinationResponseSchema,
  updateDestinationRequestSchema,
} from '../../wire/destinations.ts';
import { givenFields } from '../../wire/fields.ts';
import type { DestinationParts } from './destination-parts.ts';

/** `PATCH /observability/destinations/{id}`: a secret sent back as it was shown stays what it is. */
export const updateDestination = operation<DestinationParts>()({
  params: ['id'],
  body: updateDestinationRequestSchema,
  response: destinationResponseSchema,
  find: ({ params, parts }) => findDestination(params.id, parts),
  async run({ parts, body: { config, ...body }, found }) {
    const change = (destination: Destination): Destination => ({
      ...destination,
      ...givenFields(body),
      config:
        config === undefined
          ? destination.config
          : parseConfig(destination.type, mergeConfig(destination.config, config)),
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
