import { noGuardrail } from '../../guardrails/policy.ts';
import { operation } from '../../http/operation.ts';
import { deletedSchema } from '../../wire/fields.ts';
import type { GuardrailParts } from './guardrail-parts.ts';

/** `DELETE /guardrails/{id}`: deletes its assignments too; it no longer applies from the next request on. */
export const deleteGuardrail = operation<GuardrailParts>()({
  params: ['id'],
  response: deletedSchema,
  async run({ params: { id }, parts }) {
    if (!(await parts.store.guardrails.remove(id))) throw noGuardrail(id);
    return { deleted: true };
  },
});
