import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `GET /providers`: those of this gateway. Where they sit and what they publish is not known to it. */
export async function listProviders({ runtime }: RequestContext): Promise<GatewayResponse> {
  const data = runtime.providers.map(({ slug, name }) => ({
    name,
    slug,
    privacy_policy_url: null,
    terms_of_service_url: null,
    status_page_url: null,
    headquarters: null,
    datacenters: null,
  }));
  return toJsonResponse(200, { data });
}
