import { findGuardrail } from '../../guardrails/policy.ts';
import { operation } from '../../http/operation.ts';
import { keyHashesSchema, unassignedSchema } from '../../wire/guardrails.ts';
import type { GuardrailParts } from './guardrail-parts.ts';

/** `POST /guardrails/{id}/assignments/keys/remove`: keys that it did not hold for do not count. */
export const unassignKeys = operation<GuardrailParts>()({
  params: ['id'],
  body: keyHashesSchema,
  response: unassignedSchema,
  find: ({ params, parts }) => findGuardrail(params.id, parts),
  async run({ parts, body: { key_hashes: hashes }, found: { id } }) {
    return { unassigned_count: await parts.store.keyAssignments.unassign(id, hashes) };
  },
});
