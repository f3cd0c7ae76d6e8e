import { z } from 'zod';

import { routingMembersSchema } from '../chat/routing-metadata.ts';

/** Counts in this form: tokens read from and written to the cache are no part of the input. */
const messageUsageSchema = z.looseObject({
  input_tokens: z.int().nullable(),
  output_tokens: z.int(),
  cache_creation_input_tokens: z.int().nullable(),
  cache_read_input_tokens: z.int().nullable(),
  /** USD; null when the price is unknown. */
  cost: z.number().nullable().optional(),
});

/** The response of `POST /messages` without `stream`. Blocks and fields of upstream's own pass as they are. */
export const messageSchema = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  provider: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullable(),
  stop_sequence: z.string().nullable(),
  stop_details: z.unknown().nullable(),
  container: z.unknown().nullable(),
  usage: messageUsageSchema,
  ...routingMembersSchema.shape,
});

export const messageEventSchema = z
  .object({ event: z.string(), data: z.looseObject({ type: z.string() }) })
  .describe('One server-sent event. The last one is message_stop, or error.');

export const messageErrorSchema = z
  .looseObject({
    type: z.literal('error'),
    error: z.looseObject({ type: z.string(), message: z.string(), error_type: z.string() }),
    request_id: z.string().nullable(),
    metadata: z.looseObject({}).optional(),
  })
  .describe('An error: `error.type` is a name of the Anthropic API, `error.error_type` the typed error of this one.');
