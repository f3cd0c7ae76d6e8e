import { listMemberAssignmentBodies } from '../../guardrails/policy.ts';
import { operation } from '../../http/operation.ts';
import { pageQuerySchema, toPage } from '../../wire/fields.ts';
import { memberAssignmentListSchema } from '../../wire/guardrails.ts';
import type { GuardrailParts } from './guardrail-parts.ts';

/** `GET /guardrails/assignments/members`: those of all guardrails. */
export const listMemberAssignments = operation<GuardrailParts>()({
  query: pageQuerySchema,
  response: memberAssignmentListSchema,
  async run({ parts, query }) {
    return toPage(await listMemberAssignmentBodies(parts.store, undefined), query);
  },
});
