import { findWorkspace } from '../../auth/workspaces.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `GET /workspaces/{id}/budgets` */
export async function listWorkspaceBudgets({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  const { budgets, workspace } = await findWorkspace(params['id'], runtime);
  return toJsonResponse(200, { data: budgets, include_byok_in_budgets: workspace.include_byok_in_budgets });
}
