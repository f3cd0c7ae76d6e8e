import type { RequestContext } from '../../http/request-context.ts';
import { findGuardrail } from '../../guardrails/find-guardrail.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { keyHashesSchema } from '../../wire/management/assignment.ts';
import { parseWith } from '../../foundation/parse-with.ts';

/** `POST /guardrails/{id}/assignments/keys/remove`: keys that it did not hold for do not count. */
export async function unassignKeys({ request, params, runtime }: RequestContext): Promise<GatewayResponse> {
  const { id } = await findGuardrail(params['id'], runtime);
  const { key_hashes: hashes } = parseWith(keyHashesSchema, await readJsonBody(request));
  return toJsonResponse(200, { unassigned_count: await runtime.store.keyAssignments.unassign(id, hashes) });
}
