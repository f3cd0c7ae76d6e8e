import type { RequestContext } from '../../http/request-context.ts';
import { noGuardrail } from '../../guardrails/find-guardrail.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `DELETE /guardrails/{id}`: its assignments go with it, and it holds for nobody from the next request on. */
export async function deleteGuardrail({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  const id = params['id'] ?? '';
  if (!(await runtime.store.guardrails.remove(id))) throw noGuardrail(id);
  return toJsonResponse(200, { deleted: true });
}
