import { findWorkspace } from '../../account/workspaces.ts';
import { operation } from '../../http/operation.ts';
import { budgetListSchema } from '../../wire/account.ts';
import type { WorkspaceParts } from './workspace-parts.ts';

/** `GET /workspaces/{id}/budgets` */
export const listWorkspaceBudgets = operation<WorkspaceParts>()({
  params: ['id'],
  response: budgetListSchema,
  async run({ params, parts }) {
    const { budgets, workspace } = await findWorkspace(params.id, parts);
    return { data: budgets, include_byok_in_budgets: workspace.include_byok_in_budgets };
  },
});
