import { toKeyBody } from './to-key-body.ts';
import { findKey, noKey } from '../../auth/keys.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { updateKeyRequestSchema } from '../../wire/management/key.ts';
import { parseWith } from '../../foundation/parse-with.ts';

/** `PATCH /keys/{hash}`: holds for the very next request. */
export async function updateKey({ request, params, runtime }: RequestContext): Promise<GatewayResponse> {
  const { hash } = await findKey(params['hash'], runtime);
  const body = parseWith(updateKeyRequestSchema, await readJsonBody(request));
  const updated = await runtime.store.keys.update(hash, (record) => ({
    ...record,
    name: body.name ?? record.name,
    disabled: body.disabled ?? record.disabled,
    limitUsd: body.limit === undefined ? record.limitUsd : body.limit,
    limitReset: body.limit_reset === undefined ? record.limitReset : body.limit_reset,
    includeByokInLimit: body.include_byok_in_limit ?? record.includeByokInLimit,
    updatedAt: new Date(runtime.platform.now()).toISOString(),
  }));
  if (updated === undefined) throw noKey(hash);
  return toJsonResponse(200, { data: await toKeyBody(updated, runtime) });
}
