import { changeWorkspace, findWorkspace, refuseTakenSlug, toWorkspaceBody } from '../../account/workspaces.ts';
import { operation } from '../../http/operation.ts';
import { updateWorkspaceRequestSchema, workspaceResponseSchema } from '../../wire/account.ts';
import { givenFields } from '../../wire/fields.ts';
import { refuseWithoutEffect } from './refuse-without-effect.ts';
import type { WorkspaceParts } from './workspace-parts.ts';

/** `PATCH /workspaces/{id}`, by id or slug. */
export const updateWorkspace = operation<WorkspaceParts>()({
  params: ['id'],
  body: updateWorkspaceRequestSchema,
  response: workspaceResponseSchema,
  find: ({ params, parts }) => findWorkspace(params.id, parts),
  async run({ found: { id, workspace }, parts, body }) {
    refuseWithoutEffect(body, workspace, parts);
    const updatedAt = new Date(parts.platform.now()).toISOString();
    const changed = await changeWorkspace(id, parts, (record, stored) => {
      if (body.slug !== undefined) refuseTakenSlug(body.slug, stored, id);
      return { ...record, workspace: { ...record.workspace, ...givenFields(body), updated_at: updatedAt } };
    });
    return { data: toWorkspaceBody(changed) };
  },
});
