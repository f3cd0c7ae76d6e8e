import type { RequestContext } from '../context.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';
import { pageQuerySchema, readQuery, toPage } from '../schemas/page-query.ts';

/** `GET /organization/members` */
export async function listMembers({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const query = readQuery(pageQuerySchema, request.query);
  return toJsonResponse(200, toPage(await runtime.members.list(), query));
}
