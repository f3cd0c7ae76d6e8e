import { z } from 'zod';

import { createKeyRecord } from '../auth/api-key.ts';
import type { RequestContext } from '../context.ts';
import { readJsonBody } from '../read-json-body.ts';
import { parseWith } from '../schemas/parse-with.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';
import type { KeyRecord } from '../stores/store.ts';

/** The body of `POST /keys`. Closed: a field that did nothing might have been a limit. */
export const createKeyRequestSchema = z.strictObject({
  name: z.string().min(1).max(200),
  limit: z.number().min(0).nullish(),
  limit_reset: z.null({ error: 'limits that reset are not available in this version' }).optional(),
  expires_at: z.iso.datetime({ error: 'must be an ISO 8601 time in UTC' }).nullish(),
  creator_user_id: z.string().nullish(),
  /** Ours: makes a management key. */
  management: z.boolean().optional(),
});

/** `POST /keys` */
export async function createKey({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const body = parseWith(createKeyRequestSchema, await readJsonBody(request));
  const { key, record } = await createKeyRecord({
    platform: runtime.platform,
    name: body.name,
    kind: body.management === true ? 'management' : 'api',
    limitUsd: body.limit ?? null,
    expiresAt: body.expires_at,
    creatorUserId: body.creator_user_id,
  });
  await runtime.store.keys.insert(record);
  return toJsonResponse(201, { data: toNewKeyBody(record), key });
}

/** A key that has just been made, so that everything it has used is really nothing. */
function toNewKeyBody(record: KeyRecord): Record<string, unknown> {
  const unused = ['usage', 'usage_daily', 'usage_weekly', 'usage_monthly'].flatMap((name) => [name, `byok_${name}`]);
  return {
    hash: record.hash,
    name: record.name,
    label: record.label,
    disabled: record.disabled,
    limit: record.limitUsd,
    limit_remaining: record.limitUsd,
    limit_reset: record.limitReset,
    include_byok_in_limit: record.includeByokInLimit,
    ...Object.fromEntries(unused.map((name) => [name, 0])),
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    expires_at: record.expiresAt,
    creator_user_id: record.creatorUserId,
    workspace_id: record.workspaceId,
    external_user: null,
  };
}
