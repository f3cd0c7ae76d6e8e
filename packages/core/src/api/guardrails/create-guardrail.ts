import { chooseWorkspaceId } from '../../auth/workspaces.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { changeGuardrail, refuseBadPatterns, toNewGuardrail } from '../../guardrails/change-guardrail.ts';
import { createUuid } from '../../foundation/random-id.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { createGuardrailRequestSchema } from '../../wire/management/guardrail.ts';
import { parseWith } from '../../foundation/parse-with.ts';

/** `POST /guardrails`: it holds for nobody until it is assigned. */
export async function createGuardrail({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const { workspace_id: workspace, ...body } = parseWith(createGuardrailRequestSchema, await readJsonBody(request));
  await refuseBadPatterns(body);
  const empty = toNewGuardrail({
    id: createUuid(runtime.platform),
    name: body.name,
    workspace_id: await chooseWorkspaceId(workspace, runtime),
    created_at: new Date(runtime.platform.now()).toISOString(),
  });
  const guardrail = changeGuardrail(empty, body, runtime.catalog);
  await runtime.store.guardrails.insert(guardrail);
  return toJsonResponse(201, { data: guardrail });
}
