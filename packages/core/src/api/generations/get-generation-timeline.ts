import { GatewayError } from '../../foundation/errors.ts';
import { findReadableGeneration } from '../../generations/list-generations.ts';
import { operation } from '../../http/operation.ts';
import { streamTimelineResponseSchema } from '../../wire/generation.ts';
import type { GenerationParts } from './generation-parts.ts';

/**
 * `GET /admin/v1/generations/{id}/timeline`: the times at which the text of a streamed completion arrived. It is
 * deleted together with the content.
 */
export const getGenerationTimeline = operation<GenerationParts>()({
  params: ['id'],
  response: streamTimelineResponseSchema,
  async run(context) {
    const { generation } = await findReadableGeneration(context.params.id, context);
    const content = await context.parts.store.generations.getContent(generation.id);
    if (content !== undefined) return { data: content.timeline ?? null };
    throw new GatewayError('not_found', `No content is stored for generation ${generation.id}`);
  },
});
