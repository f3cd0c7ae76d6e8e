import { DEFAULT_WORKSPACE_ID } from '../../auth/api-key.ts';
import { findWorkspace } from '../../auth/workspaces.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `DELETE /workspaces/{id}`, by id or slug: once it has no key any more. Its guardrails and destinations go with it. */
export async function deleteWorkspace({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  const { store } = runtime;
  const { id } = await findWorkspace(params['id'], runtime);
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
  return toJsonResponse(200, { deleted: true });
}
