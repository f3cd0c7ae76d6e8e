import { noMember } from '../../auth/members.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { toAssignments } from '../../guardrails/assignments.ts';
import { findGuardrail } from '../../guardrails/find-guardrail.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { memberUserIdsSchema } from '../../wire/management/assignment.ts';
import { parseWith } from '../../foundation/parse-with.ts';

/** `POST /guardrails/{id}/assignments/members`: takes the place of what the members had. All of them, or none. */
export async function assignMembers(context: RequestContext): Promise<GatewayResponse> {
  const { request, params, runtime } = context;
  const { id } = await findGuardrail(params['id'], runtime);
  const { member_user_ids: userIds } = parseWith(memberUserIdsSchema, await readJsonBody(request));
  for (const userId of userIds) if ((await runtime.members.get(userId)) === undefined) throw noMember(userId);
  const count = await runtime.store.memberAssignments.assign(toAssignments(id, userIds, context));
  return toJsonResponse(200, { assigned_count: count });
}
