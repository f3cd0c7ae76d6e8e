import { findReadableGeneration } from '../../generations/list-generations.ts';
import { operation } from '../../http/operation.ts';
import { generationResponseSchema } from '../../wire/generation.ts';
import type { GenerationParts } from './generation-parts.ts';
import { generationQuerySchema } from './generation-query.ts';

/** `GET /generation?id=` */
export const getGeneration = operation<GenerationParts>()({
  query: generationQuerySchema,
  response: generationResponseSchema,
  async run(context) {
    const { generation } = await findReadableGeneration(context.query.id, context);
    return { data: generation };
  },
});
