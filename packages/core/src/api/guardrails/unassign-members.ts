import type { RequestContext } from '../../http/request-context.ts';
import { findGuardrail } from '../../guardrails/find-guardrail.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { memberUserIdsSchema } from '../../wire/management/assignment.ts';
import { parseWith } from '../../foundation/parse-with.ts';

/** `POST /guardrails/{id}/assignments/members/remove`: members that it did not hold for do not count. */
export async function unassignMembers({ request, params, runtime }: RequestContext): Promise<GatewayResponse> {
  const { id } = await findGuardrail(params['id'], runtime);
  const { member_user_ids: userIds } = parseWith(memberUserIdsSchema, await readJsonBody(request));
  return toJsonResponse(200, { unassigned_count: await runtime.store.memberAssignments.unassign(id, userIds) });
}
