import { findReadableGeneration } from '../../generations/list-generations.ts';
import { operation } from '../../http/operation.ts';
import { callCourseResponseSchema } from '../../wire/generation.ts';
import type { GenerationParts } from './generation-parts.ts';

/**
 * `GET /admin/v1/generations/{id}/course`: what the time of a call went to, and how it was routed. Course and timeline
 * are deleted together with the content.
 */
export const getGenerationCourse = operation<GenerationParts>()({
  params: ['id'],
  response: callCourseResponseSchema,
  async run(context) {
    const { store, broadcaster } = context.parts;
    const { generation } = await findReadableGeneration(context.params.id, context);
    const content = await store.generations.getContent(generation.id);
    return {
      data: {
        course: content?.course ?? null,
        timeline: content?.timeline ?? null,
        arrivals: await broadcaster.arrivalsOf(generation),
      },
    };
  },
});
