import { changeWorkspace, findWorkspace } from '../../auth/workspaces.ts';
import { intervalOf, readInterval } from '../../budgets/workspace-budgets.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `DELETE /workspaces/{id}/budgets/{interval}`: the same answer when there was none. */
export async function deleteWorkspaceBudget({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  const { id } = await findWorkspace(params['id'], runtime);
  const interval = readInterval(params['interval']);
  await changeWorkspace(id, runtime, (record) => ({
    ...record,
    budgets: record.budgets.filter((budget) => intervalOf(budget) !== interval),
  }));
  return toJsonResponse(200, { deleted: true });
}
