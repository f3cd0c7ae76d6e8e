import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { findReadableGeneration } from '../../generations/read/find-readable-generation.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `DELETE /admin/v1/generations/{id}`: what was asked and answered is gone at once; the record, which is money, stays. */
export async function deleteGenerationContent(context: RequestContext): Promise<GatewayResponse> {
  const { generation } = await findReadableGeneration(context.params['id'] ?? '', context);
  if (await context.runtime.store.generations.deleteContent(generation.id))
    return toJsonResponse(200, { deleted: true });
  throw new GatewayError('not_found', `No content is stored for generation ${generation.id}`);
}
