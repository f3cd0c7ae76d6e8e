import type { RequestContext } from '../../http/request-context.ts';
import { listMemberAssignmentBodies } from '../../guardrails/assignments.ts';
import { findGuardrail } from '../../guardrails/find-guardrail.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { pageQuerySchema, readQuery, toPage } from '../../wire/page-query.ts';

/** `GET /guardrails/{id}/assignments/members`, and without an id `GET /guardrails/assignments/members`: all of them. */
export async function listMemberAssignments({ request, params, runtime }: RequestContext): Promise<GatewayResponse> {
  const { id } = params;
  if (id !== undefined) await findGuardrail(id, runtime);
  const query = readQuery(pageQuerySchema, request.query);
  return toJsonResponse(200, toPage(await listMemberAssignmentBodies(runtime.store, id), query));
}
