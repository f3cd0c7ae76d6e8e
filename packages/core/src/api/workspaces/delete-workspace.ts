import { findWorkspace } from '../../account/workspaces.ts';
import { DEFAULT_WORKSPACE_ID } from '../../auth/keys.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { operation } from '../../http/operation.ts';
import { deletedSchema } from '../../wire/fields.ts';
import type { WorkspaceParts } from './workspace-parts.ts';

/** `DELETE /workspaces/{id}`, by id or slug, once it has no keys. Deletes its guardrails and destinations too. */
export const deleteWorkspace = operation<WorkspaceParts>()({
  params: ['id'],
  response: deletedSchema,
  async run({ params, parts }) {
    const { store } = parts;
    const { id } = await findWorkspace(params.id, parts);
    if (id === DEFAULT_WORKSPACE_ID) {
      throw new GatewayError('invalid_request', 'The default workspace cannot be deleted');
    }
    const keys = (await store.keys.list()).filter(({ workspaceId }) => workspaceId === id);
    if (keys.length > 0) {
      throw new GatewayError('invalid_request', `The workspace has ${keys.length} keys; delete them first`);
    }
    for (const guardrail of await store.guardrails.list()) {
      if (guardrail.workspace_id === id) await store.guardrails.remove(guardrail.id);
    }
    for (const destination of await store.destinations.list()) {
      if (destination.workspace_id === id) await store.destinations.remove(destination.id);
    }
    await store.workspaces.remove(id);
    return { deleted: true };
  },
});
