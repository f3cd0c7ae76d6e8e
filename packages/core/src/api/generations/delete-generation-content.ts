import { GatewayError } from '../../foundation/errors.ts';
import { findReadableGeneration } from '../../generations/list-generations.ts';
import { operation } from '../../http/operation.ts';
import { deletedSchema } from '../../wire/fields.ts';
import type { GenerationParts } from './generation-parts.ts';

/**
 * `DELETE /admin/v1/generations/{id}`: deletes the request and the completion at once; the record stays, because it
 * accounts for money.
 */
export const deleteGenerationContent = operation<GenerationParts>()({
  params: ['id'],
  response: deletedSchema,
  async run(context) {
    const { generation } = await findReadableGeneration(context.params.id, context);
    if (await context.parts.store.generations.deleteContent(generation.id)) return { deleted: true };
    throw new GatewayError('not_found', `No content is stored for generation ${generation.id}`);
  },
});
