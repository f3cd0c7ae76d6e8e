import { listKeyAssignmentBodies } from '../../guardrails/policy.ts';
import { operation } from '../../http/operation.ts';
import { pageQuerySchema, toPage } from '../../wire/fields.ts';
import { keyAssignmentListSchema } from '../../wire/guardrails.ts';
import type { GuardrailParts } from './guardrail-parts.ts';

/** `GET /guardrails/assignments/keys`: those of all guardrails. */
export const listKeyAssignments = operation<GuardrailParts>()({
  query: pageQuerySchema,
  response: keyAssignmentListSchema,
  async run({ parts, query }) {
    return toPage(await listKeyAssignmentBodies(parts.store, undefined), query);
  },
});
