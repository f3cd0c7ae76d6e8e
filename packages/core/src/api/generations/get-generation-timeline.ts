import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { findReadableGeneration } from '../../generations/read/find-readable-generation.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `GET /admin/v1/generations/{id}/timeline`: when the text of a streamed answer came. It goes with the content. */
export async function getGenerationTimeline(context: RequestContext): Promise<GatewayResponse> {
  const { generation } = await findReadableGeneration(context.params['id'] ?? '', context);
  const content = await context.runtime.store.generations.getContent(generation.id);
  if (content !== undefined) return toJsonResponse(200, { data: content.timeline ?? null });
  throw new GatewayError('not_found', `No content is stored for generation ${generation.id}`);
}
