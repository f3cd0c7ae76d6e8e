import { toKeyBody } from './to-key-body.ts';
import { createKeyRecord } from '../../auth/api-key.ts';
import { chooseWorkspaceId } from '../../auth/workspaces.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { createKeyRequestSchema } from '../../wire/management/key.ts';
import { parseWith } from '../../foundation/parse-with.ts';

/** `POST /keys`: the only answer that shows the key itself. */
export async function createKey({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const body = parseWith(createKeyRequestSchema, await readJsonBody(request));
  const { key, record } = await createKeyRecord({
    platform: runtime.platform,
    name: body.name,
    kind: body.management === true ? 'management' : 'api',
    limitUsd: body.limit ?? null,
    limitReset: body.limit_reset,
    includeByokInLimit: body.include_byok_in_limit,
    workspaceId: await chooseWorkspaceId(body.workspace_id, runtime),
    expiresAt: body.expires_at,
    creatorUserId: body.creator_user_id,
  });
  await runtime.store.keys.insert(record);
  return toJsonResponse(201, { data: await toKeyBody(record, runtime), key });
}
