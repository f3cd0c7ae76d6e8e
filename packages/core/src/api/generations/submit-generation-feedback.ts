import type { RequestContext } from '../../http/request-context.ts';
import { findReadableGeneration } from '../../generations/read/find-readable-generation.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { feedbackRequestSchema } from '../../wire/generations/generation.ts';
import { parseWith } from '../../foundation/parse-with.ts';

/** `POST /generation/feedback`: kept with the generation's record. */
export async function submitGenerationFeedback(context: RequestContext): Promise<GatewayResponse> {
  const { request, runtime } = context;
  const body = parseWith(feedbackRequestSchema, await readJsonBody(request));
  const record = await findReadableGeneration(body.generation_id, context);
  const { generation } = record;
  const feedback = {
    category: body.category,
    comment: body.comment ?? null,
    created_at: new Date(runtime.platform.now()).toISOString(),
  };
  await runtime.store.generations.update({
    ...record,
    generation: { ...generation, feedback: [...(generation.feedback ?? []), feedback] },
  });
  return toJsonResponse(200, { data: { success: true } });
}
