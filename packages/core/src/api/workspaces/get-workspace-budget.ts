import { findWorkspace } from '../../account/workspaces.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { operation } from '../../http/operation.ts';
import { intervalOf, readInterval } from '../../limits/budgets.ts';
import { budgetResponseSchema } from '../../wire/account.ts';
import type { WorkspaceParts } from './workspace-parts.ts';

/** `GET /workspaces/{id}/budgets/{interval}` */
export const getWorkspaceBudget = operation<WorkspaceParts>()({
  params: ['id', 'interval'],
  response: budgetResponseSchema,
  async run({ params, parts }) {
    const { budgets, workspace } = await findWorkspace(params.id, parts);
    const interval = readInterval(params.interval);
    const budget = budgets.find((other) => intervalOf(other) === interval);
    if (budget === undefined) throw new GatewayError('not_found', `The workspace has no ${interval} budget`);
    return { data: budget, include_byok_in_budgets: workspace.include_byok_in_budgets };
  },
});
