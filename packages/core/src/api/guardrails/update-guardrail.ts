import { findWorkspace } from '../../auth/workspaces.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { changeGuardrail, refuseBadPatterns, toNewGuardrail } from '../../guardrails/change-guardrail.ts';
import { defaultGuardrailName, workspaceIdOfDefault } from '../../auth/default-guardrail.ts';
import { findGuardrail, noGuardrail } from '../../guardrails/find-guardrail.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import type { Runtime } from '../../runtime.ts';
import { type Guardrail, updateGuardrailRequestSchema } from '../../wire/management/guardrail.ts';
import { parseWith } from '../../foundation/parse-with.ts';

/** `PATCH /guardrails/{id}`. The default guardrail of a workspace comes into being by this, and keeps its name. */
export async function updateGuardrail({ request, params, runtime }: RequestContext): Promise<GatewayResponse> {
  const id = params['id'] ?? '';
  const initial = await beginDefault(id, runtime);
  if (initial === undefined) await findGuardrail(id, runtime);
  const body = parseWith(updateGuardrailRequestSchema, await readJsonBody(request));
  if (initial !== undefined && body.name !== undefined && body.name !== initial.name) {
    throw new GatewayError('invalid_request', `name: the default guardrail of a workspace is always "${initial.name}"`);
  }
  await refuseBadPatterns(body);
  const updatedAt = new Date(runtime.platform.now()).toISOString();
  const updated = await runtime.store.guardrails.update(
    id,
    (guardrail) => ({
      ...changeGuardrail(guardrail, body, runtime.catalog),
      updated_at: guardrail === initial ? null : updatedAt,
    }),
    initial,
  );
  if (updated === undefined) throw noGuardrail(id);
  return toJsonResponse(200, { data: updated });
}

/** What a default guardrail begins with; undefined when the id is of none. */
async function beginDefault(id: string, runtime: Runtime): Promise<Guardrail | undefined> {
  const workspaceId = workspaceIdOfDefault(id);
  if (workspaceId === undefined) return undefined;
  const workspace = await findWorkspace(workspaceId, runtime).catch(() => undefined);
  return (
    workspace &&
    toNewGuardrail({
      id,
      name: defaultGuardrailName(workspaceId),
      workspace_id: workspaceId,
      created_at: new Date(runtime.platform.now()).toISOString(),
    })
  );
}
