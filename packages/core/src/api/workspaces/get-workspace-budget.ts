import { findWorkspace } from '../../auth/workspaces.ts';
import { intervalOf, readInterval } from '../../budgets/workspace-budgets.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `GET /workspaces/{id}/budgets/{interval}` */
export async function getWorkspaceBudget({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  const { budgets, workspace } = await findWorkspace(params['id'], runtime);
  const interval = readInterval(params['interval']);
  const budget = budgets.find((other) => intervalOf(other) === interval);
  if (budget === undefined) throw new GatewayError('not_found', `The workspace has no ${interval} budget`);
  return toJsonResponse(200, { data: budget, include_byok_in_budgets: workspace.include_byok_in_budgets });
}
