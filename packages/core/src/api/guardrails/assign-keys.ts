import { noKey } from '../../auth/keys.ts';
import { findGuardrail, toAssignments } from '../../guardrails/policy.ts';
import { operation } from '../../http/operation.ts';
import { assignedSchema, keyHashesSchema } from '../../wire/guardrails.ts';
import type { GuardrailParts } from './guardrail-parts.ts';

/**
 * `POST /guardrails/{id}/assignments/keys`: replaces the earlier assignments of the keys. All of them, or, with one
 * unknown, none.
 */
export const assignKeys = operation<GuardrailParts>()({
  params: ['id'],
  body: keyHashesSchema,
  response: assignedSchema,
  find: ({ params, parts }) => findGuardrail(params.id, parts),
  async run({ principal, parts, body: { key_hashes: hashes }, found: { id } }) {
    for (const hash of hashes) if ((await parts.store.keys.get(hash)) === undefined) throw noKey(hash);
    const assignments = toAssignments(id, hashes, { principal, platform: parts.platform });
    return { assigned_count: await parts.store.keyAssignments.assign(assignments) };
  },
});
