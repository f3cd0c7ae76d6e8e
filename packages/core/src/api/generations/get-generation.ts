import { z } from 'zod';

import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { findReadableGeneration } from '../../generations/read/find-readable-generation.ts';
import { withoutTimeline } from '../../generations/observe/stream-timeline.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { readQuery } from '../../wire/page-query.ts';
import type { GenerationRecord } from '../../stores/store.ts';

export const generationQuerySchema = z.object({
  id: z.string({ error: 'must be given' }).min(1, 'must have at least 1 character'),
});

/** `GET /generation?id=` */
export async function getGeneration(context: RequestContext): Promise<GatewayResponse> {
  const { generation } = await findReadable(context);
  return toJsonResponse(200, { data: generation });
}

/** `GET /generation/content?id=` */
export async function getGenerationContent(context: RequestContext): Promise<GatewayResponse> {
  const { generation } = await findReadable(context);
  const content = await context.runtime.store.generations.getContent(generation.id);
  if (content === undefined) {
    throw new GatewayError('not_found', `No content is stored for generation ${generation.id}`);
  }
  return toJsonResponse(200, { data: withoutTimeline(content) });
}

function findReadable(context: RequestContext): Promise<GenerationRecord> {
  const { id } = readQuery(generationQuerySchema, context.request.query);
  return findReadableGeneration(id, context);
}
