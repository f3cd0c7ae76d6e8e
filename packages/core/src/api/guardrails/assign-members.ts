import { noMember } from '../../auth/keys.ts';
import { findGuardrail, toAssignments } from '../../guardrails/policy.ts';
import { operation } from '../../http/operation.ts';
import { assignedSchema, memberUserIdsSchema } from '../../wire/guardrails.ts';
import type { GuardrailParts } from './guardrail-parts.ts';

/** `POST /guardrails/{id}/assignments/members`: replaces earlier assignments of the members. All of them, or none. */
export const assignMembers = operation<GuardrailParts>()({
  params: ['id'],
  body: memberUserIdsSchema,
  response: assignedSchema,
  find: ({ params, parts }) => findGuardrail(params.id, parts),
  async run({ principal, parts, body: { member_user_ids: userIds }, found: { id } }) {
    for (const userId of userIds) if ((await parts.members.get(userId)) === undefined) throw noMember(userId);
    const assignments = toAssignments(id, userIds, { principal, platform: parts.platform });
    return { assigned_count: await parts.store.memberAssignments.assign(assignments) };
  },
});
