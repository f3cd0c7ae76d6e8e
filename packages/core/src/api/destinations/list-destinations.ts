import { DEFAULT_WORKSPACE_ID } from '../../auth/keys.ts';
import { toDestinationBody } from '../../broadcast/destinations.ts';
import { operation } from '../../http/operation.ts';
import { destinationListSchema } from '../../wire/destinations.ts';
import { toPage, workspacePageQuerySchema } from '../../wire/fields.ts';
import type { DestinationParts } from './destination-parts.ts';

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
