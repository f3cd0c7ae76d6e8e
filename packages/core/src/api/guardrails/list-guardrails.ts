import { DEFAULT_WORKSPACE_ID } from '../../auth/api-key.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { readQuery, toPage, workspacePageQuerySchema } from '../../wire/page-query.ts';

/** `GET /guardrails`: those of one workspace. */
export async function listGuardrails({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const query = readQuery(workspacePageQuerySchema, request.query);
  const wanted = query.workspace_id ?? DEFAULT_WORKSPACE_ID;
  const found = (await runtime.store.guardrails.list()).filter(({ workspace_id: id }) => id === wanted);
  return toJsonResponse(200, toPage(found, query));
}
