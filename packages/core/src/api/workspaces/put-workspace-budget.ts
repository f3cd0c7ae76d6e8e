import { changeWorkspace, findWorkspace } from '../../account/workspaces.ts';
import { createUuid } from '../../foundation/random-id.ts';
import { operation } from '../../http/operation.ts';
import { intervalOf, putBudget, readInterval } from '../../limits/budgets.ts';
import { budgetResponseSchema, putBudgetRequestSchema } from '../../wire/account.ts';
import type { WorkspaceParts } from './workspace-parts.ts';

/** `PUT /workspaces/{id}/budgets/{interval}`: limits must fall as the interval narrows. */
export const putWorkspaceBudget = operation<WorkspaceParts>()({
  params: ['id', 'interval'],
  body: putBudgetRequestSchema,
  response: budgetResponseSchema,
  async find({ params, parts }) {
    const { id } = await findWorkspace(params.id, parts);
    return { id, interval: readInterval(params.interval) };
  },
  async run({ found: { id, interval }, parts, body }) {
    const now = new Date(parts.platform.now()).toISOString();
    const fresh = {
      id: createUuid(parts.platform),
      workspace_id: id,
      limit_usd: body.limit_usd,
      reset_interval: interval === 'lifetime' ? null : interval,
      created_at: now,
      updated_at: now,
    };
    const { budgets, workspace } = await changeWorkspace(id, parts, (record) => ({
      ...record,
      workspace: {
        ...record.workspace,
        include_byok_in_budgets: body.include_byok_in_budgets ?? record.workspace.include_byok_in_budgets,
      },
      budgets: putBudget(record.budgets, fresh),
    }));
    // It has the id and time of the budget that it replaces.
    const budget = budgets.find((other) => intervalOf(other) === interval) ?? fresh;
    return { data: budget, include_byok_in_budgets: workspace.include_byok_in_budgets };
  },
});
