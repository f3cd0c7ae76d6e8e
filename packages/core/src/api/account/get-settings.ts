import { toSettings } from '../../auth/settings.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `GET /admin/v1/settings`: what holds for the account at the moment. */
export async function getSettings({ runtime }: RequestContext): Promise<GatewayResponse> {
  return toJsonResponse(200, { data: toSettings(runtime.account) });
}
