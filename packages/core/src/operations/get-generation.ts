import { z } from 'zod';

import type { RequestContext } from '../context.ts';
import { GatewayError } from '../errors.ts';
import { parseWith } from '../schemas/parse-with.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';
import type { GenerationRecord } from '../stores/store.ts';

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
  return toJsonResponse(200, { data: content });
}

/** Whose key made the call may read it, and management. To everybody else it does not exist. */
async function findReadable({ request, principal, runtime }: RequestContext): Promise<GenerationRecord> {
  const { id } = parseWith(generationQuerySchema, Object.fromEntries(new URLSearchParams(request.query)));
  const record = await runtime.store.generations.get(id);
  const isReadable = record !== undefined && (principal.kind === 'management' || record.principalId === principal.id);
  if (!isReadable) throw new GatewayError('not_found', `There is no generation ${id.slice(0, 100)}`);
  return record;
}
