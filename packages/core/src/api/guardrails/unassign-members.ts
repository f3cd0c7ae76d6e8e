import { findGuardrail } from '../../guardrails/policy.ts';
import { operation } from '../../http/operation.ts';
import { memberUserIdsSchema, unassignedSchema } from '../../wire/guardrails.ts';
import type { GuardrailParts } from './guardrail-parts.ts';

/** `POST /guardrails/{id}/assignments/members/remove`: only members that were assigned are counted. */
export const unassignMembers = operation<GuardrailParts>()({
  params: ['id'],
  body: memberUserIdsSchema,
  response: unassignedSchema,
  find: ({ params, parts }) => findGuardrail(params.id, parts),
  async run({ parts, body: { member_user_ids: userIds }, found: { id } }) {
    return { unassigned_count: await parts.store.memberAssignments.unassign(id, userIds) };
  },
});
