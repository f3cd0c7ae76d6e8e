import { findGuardrail, listMemberAssignmentBodies } from '../../guardrails/policy.ts';
import { operation } from '../../http/operation.ts';
import { pageQuerySchema, toPage } from '../../wire/fields.ts';
import { memberAssignmentListSchema } from '../../wire/guardrails.ts';
import type { GuardrailParts } from './guardrail-parts.ts';

/** `GET /guardrails/{id}/assignments/members` */
export const listGuardrailMembers = operation<GuardrailParts>()({
  params: ['id'],
  query: pageQuerySchema,
  response: memberAssignmentListSchema,
  find: ({ params, parts }) => findGuardrail(params.id, parts),
  async run({ parts, query, found }) {
    return toPage(await listMemberAssignmentBodies(parts.store, found.id), query);
  },
});
