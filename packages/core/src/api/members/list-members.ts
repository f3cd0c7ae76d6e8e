import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { pageQuerySchema, readQuery, toPage } from '../../wire/page-query.ts';

/** `GET /organization/members` */
export async function listMembers({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const query = readQuery(pageQuerySchema, request.query);
  return toJsonResponse(200, toPage(await runtime.members.list(), query));
}
