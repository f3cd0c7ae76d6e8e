import { z } from 'zod';

import { traceSchema } from './fields.ts';
import { providerPreferencesSchema, routingMembersSchema } from './routing.ts';

const partSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string().min(1) }) }),
]);

/** The model that OpenAI's clients mean where they name none. */
const DEFAULT_MODEL = 'openai/omni-moderation-latest';

/** The body of `POST /moderations`: one text, several to be judged apart, or the parts of one message. */
export const moderationRequestSchema = z.object({
  model: z.string().min(1).default(DEFAULT_MODEL),
  input: z.union([z.string(), z.array(z.string()).min(1), z.array(partSchema).min(1)], {
    error: 'must be a text, a list of texts, or a list of parts of type text or image_url; no list may be empty',
  }),
  user: z.string().nullish(),
  provider: providerPreferencesSchema.nullish(),
  session_id: z.string().max(256).nullish(),
  trace: traceSchema.nullish(),
});
export type ModerationRequest = z.infer<typeof moderationRequestSchema>;

/** What is found in one input. Categories are those of the model. */
export const moderationResultSchema = z.object({
  flagged: z.boolean(),
  categories: z.record(z.string(), z.boolean()),
  category_scores: z.record(z.string(), z.number()),
  /** By category, which of `text` and `image` it was looked for in; absent where the model does not say. */
  category_applied_input_types: z.record(z.string(), z.array(z.string())).optional(),
});
export type ModerationVerdict = z.infer<typeof moderationResultSchema>;

export const moderationResponseSchema = z.object({
  id: z.string(),
  model: z.string(),
  /** Display name of the provider that served it. */
  provider: z.string(),
  /** One for each text, or one for all parts. */
  results: z.array(moderationResultSchema),
  usage: z.object({
    prompt_tokens: z.int(),
    total_tokens: z.int(),
    /** USD; null when the price is unknown. */
    cost: z.number().nullable().optional(),
    is_byok: z.boolean().optional(),
  }),
  ...routingMembersSchema.shape,
});
