import { toKeyBody } from './to-key-body.ts';
import { findKey } from '../../auth/keys.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `GET /keys/{hash}` */
export async function getKey({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  const record = await findKey(params['hash'], runtime);
  return toJsonResponse(200, { data: await toKeyBody(record, runtime) });
}
