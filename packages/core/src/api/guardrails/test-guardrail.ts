import type { RequestContext } from '../../http/request-context.ts';
import { createDryRun } from './dry-run.ts';
import { findGuardrail } from '../../guardrails/find-guardrail.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { type GuardrailTestResult, guardrailTestRequestSchema } from '../../wire/management/guardrail-test.ts';
import { parseWith } from '../../foundation/parse-with.ts';

/**
 * `POST /admin/v1/guardrails/{id}/test`: what the guardrail on its own would block, redact and exclude, of a given
 * request and of the latest generations. Nobody is called, and nothing is written down.
 */
export async function testGuardrail({ request, params, runtime }: RequestContext): Promise<GatewayResponse> {
  const guardrail = await findGuardrail(params['id'], runtime);
  const body = parseWith(guardrailTestRequestSchema, await readJsonBody(request));
  const dryRun = await createDryRun(guardrail, runtime);
  const data: GuardrailTestResult = {
    request: body.request === undefined ? null : dryRun.testRequest(body.request),
    generations: body.generations === undefined ? null : await dryRun.testGenerations(body.generations),
  };
  return toJsonResponse(200, { data });
}
