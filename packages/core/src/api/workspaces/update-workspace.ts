import { changeWorkspace, findWorkspace, refuseTakenSlug } from '../../auth/workspaces.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { givenFields } from '../../wire/given-fields.ts';
import { parseWith } from '../../foundation/parse-with.ts';
import { updateWorkspaceRequestSchema } from '../../wire/management/workspace.ts';

/** `PATCH /workspaces/{id}`, by id or slug. */
export async function updateWorkspace({ request, params, runtime }: RequestContext): Promise<GatewayResponse> {
  const { id } = await findWorkspace(params['id'], runtime);
  const body = parseWith(updateWorkspaceRequestSchema, await readJsonBody(request));
  if (body.slug !== undefined) await refuseTakenSlug(body.slug, runtime, id);
  const updatedAt = new Date(runtime.platform.now()).toISOString();
  const { workspace } = await changeWorkspace(id, runtime, (record) => ({
    ...record,
    workspace: { ...record.workspace, ...givenFields(body), updated_at: updatedAt },
  }));
  return toJsonResponse(200, { data: workspace });
}
