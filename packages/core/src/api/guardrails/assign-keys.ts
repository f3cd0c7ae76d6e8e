import { noKey } from '../../auth/keys.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { toAssignments } from '../../guardrails/assignments.ts';
import { findGuardrail } from '../../guardrails/find-guardrail.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { keyHashesSchema } from '../../wire/management/assignment.ts';
import { parseWith } from '../../foundation/parse-with.ts';

/** `POST /guardrails/{id}/assignments/keys`: takes the place of what the keys had. All of them, or, with one unknown, none. */
export async function assignKeys(context: RequestContext): Promise<GatewayResponse> {
  const { request, params, runtime } = context;
  const { id } = await findGuardrail(params['id'], runtime);
  const { key_hashes: hashes } = parseWith(keyHashesSchema, await readJsonBody(request));
  for (const hash of hashes) if ((await runtime.store.keys.get(hash)) === undefined) throw noKey(hash);
  const count = await runtime.store.keyAssignments.assign(toAssignments(id, hashes, context));
  return toJsonResponse(200, { assigned_count: count });
}
