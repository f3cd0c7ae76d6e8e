import type { RequestContext } from '../context.ts';
import { findGuardrail } from '../guardrails/find-guardrail.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';

/** `GET /guardrails/{id}` */
export async function getGuardrail({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  return toJsonResponse(200, { data: await findGuardrail(params['id'], runtime) });
}
