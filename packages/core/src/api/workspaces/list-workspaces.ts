import { listWorkspaceRecords } from '../../auth/workspaces.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { pageQuerySchema, readQuery, toPage } from '../../wire/page-query.ts';

/** `GET /workspaces`: the default one first. */
export async function listWorkspaces({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const query = readQuery(pageQuerySchema, request.query);
  const workspaces = (await listWorkspaceRecords(runtime)).map(({ workspace }) => workspace);
  return toJsonResponse(200, toPage(workspaces, query));
}
