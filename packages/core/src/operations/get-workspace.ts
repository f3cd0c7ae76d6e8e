import { findWorkspace } from '../auth/workspaces.ts';
import type { RequestContext } from '../context.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';

/** `GET /workspaces/{id}`, by id or slug. */
export async function getWorkspace({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  return toJsonResponse(200, { data: (await findWorkspace(params['id'], runtime)).workspace });
}
