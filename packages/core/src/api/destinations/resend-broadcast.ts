import { toDeliveryBody } from '../../broadcast/deliveries.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { operation } from '../../http/operation.ts';
import { broadcastDeliveryResponseSchema } from '../../wire/destinations.ts';
import type { DestinationParts } from './destination-parts.ts';

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
