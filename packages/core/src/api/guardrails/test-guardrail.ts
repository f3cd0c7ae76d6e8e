import { withDraft } from '../../guardrails/change-guardrail.ts';
import { findGuardrail } from '../../guardrails/policy.ts';
import { operation } from '../../http/operation.ts';
import { createDryRun } from '../../trials/dry-run.ts';
import { guardrailTestRequestSchema, guardrailTestResultSchema } from '../../wire/guardrail-trials.ts';
import type { GuardrailTrialParts } from './guardrail-parts.ts';

/**
 * `POST /admin/v1/guardrails/{id}/test`: reports what the guardrail on its own would block, redact and exclude in a
 * given request and in the latest generations. No provider is called, and nothing is recorded.
 */
export const testGuardrail = operation<GuardrailTrialParts>()({
  params: ['id'],
  body: guardrailTestRequestSchema,
  response: guardrailTestResultSchema,
  find: ({ params, parts }) => findGuardrail(params.id, parts),
  async run({ parts, body, found: guardrail }) {
    const dryRun = await createDryRun(await withDraft(guardrail, body.change, parts.catalog), parts);
    return {
      data: {
        request: body.request === undefined ? null : await dryRun.testRequest(body.request),
        generations: body.generations === undefined ? null : await dryRun.testGenerations(body.generations),
      },
    };
  },
});
