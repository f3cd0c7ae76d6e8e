import type { RequestContext } from '../../http/request-context.ts';
import { findGuardrail } from '../../guardrails/find-guardrail.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `GET /guardrails/{id}` */
export async function getGuardrail({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  return toJsonResponse(200, { data: await findGuardrail(params['id'], runtime) });
}
