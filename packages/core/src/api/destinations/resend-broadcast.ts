import { toDeliveryBody } from '../../broadcast/to-delivery-body.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/**
 * `POST /admin/v1/destinations/deliveries/{id}/resend`: sends what did not arrive anew, with the same ids; receivers know
 * by them that it is the same.
 */
export async function resendBroadcast({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  const id = params['id'] ?? '';
  const renewed = await runtime.broadcaster.resend(id);
  if (renewed === undefined) {
    throw new GatewayError(
      'not_found',
      `There is no delivery ${id.slice(0, 100)} to a destination that is on; a destination that is off sends nothing`,
    );
  }
  return toJsonResponse(202, { data: toDeliveryBody(renewed) });
}
