import { findGuardrail } from '../../guardrails/policy.ts';
import { operation } from '../../http/operation.ts';
import { guardrailResponseSchema } from '../../wire/guardrails.ts';
import type { GuardrailParts } from './guardrail-parts.ts';

/** `GET /guardrails/{id}` */
export const getGuardrail = operation<GuardrailParts>()({
  params: ['id'],
  response: guardrailResponseSchema,
  async run({ params, parts }) {
    return { data: await findGuardrail(params.id, parts) };
  },
});
