import { findReadableGeneration } from '../../generations/list-generations.ts';
import { operation } from '../../http/operation.ts';
import { feedbackResponseSchema } from '../../wire/account.ts';
import { feedbackRequestSchema } from '../../wire/generation.ts';
import type { GenerationParts } from './generation-parts.ts';

/** `POST /generation/feedback`: stored with the generation's record. */
export const submitGenerationFeedback = operation<GenerationParts>()({
  body: feedbackRequestSchema,
  response: feedbackResponseSchema,
  async run(context) {
    const { parts, body } = context;
    const record = await findReadableGeneration(body.generation_id, context);
    const { generation } = record;
    const feedback = {
      category: body.category,
      comment: body.comment ?? null,
      created_at: new Date(parts.platform.now()).toISOString(),
    };
    await parts.store.generations.update({
      ...record,
      generation: { ...generation, feedback: [...(generation.feedback ?? []), feedback] },
    });
    return { data: { success: true } };
  },
});
