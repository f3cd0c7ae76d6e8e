import { z } from 'zod';

import { routingMembersSchema } from '../chat/routing-metadata.ts';

const responsesUsageSchema = z.looseObject({
  input_tokens: z.int(),
  input_tokens_details: z.looseObject({ cached_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.looseObject({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
  /** USD; null when the price is unknown. */
  cost: z.number().nullable().optional(),
});

/** The response of `POST /responses` without `stream`. Items and fields of upstream's own pass as they are. */
export const responseSchema = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable().optional(),
  model: z.string(),
  provider: z.string(),
  status: z.enum(['completed', 'incomplete', 'failed', 'in_progress', 'cancelled', 'queued']),
  output: z.array(z.looseObject({ type: z.string() })),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.looseObject({ reason: z.string() }).nullable(),
  usage: responsesUsageSchema.nullable(),
  temperature: z.number(),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.int(),
  max_tool_calls: z.int().nullable(),
  service_tier: z.string(),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
  ...routingMembersSchema.shape,
});

export const responseEventSchema = z
  .object({ event: z.string(), data: z.looseObject({ type: z.string(), sequence_number: z.int() }) })
  .describe('One server-sent event. The last one is response.completed, incomplete or failed, followed by [DONE].');
