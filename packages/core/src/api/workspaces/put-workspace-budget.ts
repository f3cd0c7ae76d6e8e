import { changeWorkspace, findWorkspace } from '../../auth/workspaces.ts';
import { intervalOf, putBudget, readInterval } from '../../budgets/workspace-budgets.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { createUuid } from '../../foundation/random-id.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { parseWith } from '../../foundation/parse-with.ts';
import { putBudgetRequestSchema } from '../../wire/management/workspace.ts';

/** `PUT /workspaces/{id}/budgets/{interval}`: limits must fall as the interval narrows. */
export async function putWorkspaceBudget({ request, params, runtime }: RequestContext): Promise<GatewayResponse> {
  const { id } = await findWorkspace(params['id'], runtime);
  const interval = readInterval(params['interval']);
  const body = parseWith(putBudgetRequestSchema, await readJsonBody(request));
  const now = new Date(runtime.platform.now()).toISOString();
  const fresh = {
    id: createUuid(runtime.platform),
    workspace_id: id,
    limit_usd: body.limit_usd,
    reset_interval: interval === 'lifetime' ? null : interval,
    created_at: now,
    updated_at: now,
  };
  const { budgets, workspace } = await changeWorkspace(id, runtime, (record) => ({
    ...record,
    workspace: {
      ...record.workspace,
      include_byok_in_budgets: body.include_byok_in_budgets ?? record.workspace.include_byok_in_budgets,
    },
    budgets: putBudget(record.budgets, fresh),
  }));
  const budget = budgets.find((other) => intervalOf(other) === interval);
  return toJsonResponse(200, { data: budget, include_byok_in_budgets: workspace.include_byok_in_budgets });
}
