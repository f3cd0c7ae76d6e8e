import { noDestination } from '../../broadcast/destinations.ts';
import { operation } from '../../http/operation.ts';
import { deletedSchema } from '../../wire/fields.ts';
import type { DestinationParts } from './destination-parts.ts';

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
