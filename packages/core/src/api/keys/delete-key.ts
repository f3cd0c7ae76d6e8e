import { noKey } from '../../auth/keys.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `DELETE /keys/{hash}`: the key is refused from the next request on; what it has begun goes on. */
export async function deleteKey({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  const hash = params['hash'] ?? '';
  if (!(await runtime.store.keys.remove(hash))) throw noKey(hash);
  return toJsonResponse(200, { deleted: true });
}
