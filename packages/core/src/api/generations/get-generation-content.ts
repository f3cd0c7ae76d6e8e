import { GatewayError } from '../../foundation/errors.ts';
import { findReadableGeneration } from '../../generations/list-generations.ts';
import { toPublicContent } from '../../generations/to-generation.ts';
import { operation } from '../../http/operation.ts';
import { generationContentResponseSchema } from '../../wire/generation.ts';
import type { GenerationParts } from './generation-parts.ts';
import { generationQuerySchema } from './generation-query.ts';

/** `GET /generation/content?id=` */
export const getGenerationContent = operation<GenerationParts>()({
  query: generationQuerySchema,
  response: generationContentResponseSchema,
  async run(context) {
    const { generation } = await findReadableGeneration(context.query.id, context);
    const content = await context.parts.store.generations.getContent(generation.id);
    if (content === undefined) {
      throw new GatewayError('not_found', `No content is stored for generation ${generation.id}`);
    }
    return { data: toPublicContent(content) };
  },
});
