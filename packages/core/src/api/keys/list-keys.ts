import { toKeyBody } from './to-key-body.ts';
import { DEFAULT_WORKSPACE_ID } from '../../auth/api-key.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { keyListQuerySchema } from '../../wire/management/key.ts';
import { readQuery, toPage } from '../../wire/page-query.ts';

/** `GET /keys`: those of one workspace, disabled ones only when asked for. */
export async function listKeys({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const query = readQuery(keyListQuerySchema, request.query);
  const { include_disabled: includeDisabled, workspace_id: wanted = DEFAULT_WORKSPACE_ID } = query;
  const found = (await runtime.store.keys.list()).filter(
    ({ disabled, workspaceId }) => workspaceId === wanted && (includeDisabled === 'true' || !disabled),
  );
  const page = toPage(found, query);
  const data = await Promise.all(page.data.map((record) => toKeyBody(record, runtime)));
  return toJsonResponse(200, { ...page, data });
}
