import { findGuardrail, listKeyAssignmentBodies } from '../../guardrails/policy.ts';
import { operation } from '../../http/operation.ts';
import { pageQuerySchema, toPage } from '../../wire/fields.ts';
import { keyAssignmentListSchema } from '../../wire/guardrails.ts';
import type { GuardrailParts } from './guardrail-parts.ts';

/** `GET /guardrails/{id}/assignments/keys` */
export const listGuardrailKeys = operation<GuardrailParts>()({
  params: ['id'],
  query: pageQuerySchema,
  response: keyAssignmentListSchema,
  find: ({ params, parts }) => findGuardrail(params.id, parts),
  async run({ parts, query, found }) {
    return toPage(await listKeyAssignmentBodies(parts.store, found.id), query);
  },
});
