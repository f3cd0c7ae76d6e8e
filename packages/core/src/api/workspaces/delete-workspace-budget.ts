import { changeWorkspace, findWorkspace } from '../../account/workspaces.ts';
import { operation } from '../../http/operation.ts';
import { intervalOf, readInterval } from '../../limits/budgets.ts';
import { deletedSchema } from '../../wire/fields.ts';
import type { WorkspaceParts } from './workspace-parts.ts';

/** `DELETE /workspaces/{id}/budgets/{interval}`: the same response when there was none. */
export const deleteWorkspaceBudget = operation<WorkspaceParts>()({
  params: ['id', 'interval'],
  response: deletedSchema,
  async run({ params, parts }) {
    const { id } = await findWorkspace(params.id, parts);
    const interval = readInterval(params.interval);
    await changeWorkspace(id, parts, (record) => ({
      ...record,
      budgets: record.budgets.filter((budget) => intervalOf(budget) !== interval),
    }));
    return { deleted: true };
  },
});
