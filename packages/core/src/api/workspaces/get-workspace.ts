import { findWorkspace, toWorkspaceBody } from '../../account/workspaces.ts';
import { operation } from '../../http/operation.ts';
import { workspaceResponseSchema } from '../../wire/account.ts';
import type { WorkspaceParts } from './workspace-parts.ts';

/** `GET /workspaces/{id}`, by id or slug. */
export const getWorkspace = operation<WorkspaceParts>()({
  params: ['id'],
  response: workspaceResponseSchema,
  async run({ params, parts }) {
    return { data: toWorkspaceBody(await findWorkspace(params.id, parts)) };
  },
});
