import { findDestination, toDestinationBody } from '../../broadcast/destinations.ts';
import { operation } from '../../http/operation.ts';
import { destinationResponseSchema } from '../../wire/destinations.ts';
import type { DestinationParts } from './destination-parts.ts';

/** `GET /observability/destinations/{id}` */
export const getDestination = operation<DestinationParts>()({
  params: ['id'],
  response: destinationResponseSchema,
  async run({ params, parts }) {
    return { data: toDestinationBody(await findDestination(params.id, parts)) };
  },
});
