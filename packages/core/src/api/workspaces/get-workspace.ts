import { findWorkspace } from '../../auth/workspaces.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `GET /workspaces/{id}`, by id or slug. */
export async function getWorkspace({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  return toJsonResponse(200, { data: (await findWorkspace(params['id'], runtime)).workspace });
}
