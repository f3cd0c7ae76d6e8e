import { z } from 'zod';

import { costDetailsSchema } from './chat-chunk.ts';
import { contentPartSchema } from './chat-request.ts';
import { traceSchema } from './fields.ts';
import { providerPreferencesSchema, routingMembersSchema } from './routing.ts';

const tokens = z.array(z.int().min(0)).min(1);
/** Texts, pictures and sounds that become one vector. */
const parts = z.object({ content: z.array(contentPartSchema).min(1) });

/** The body of `POST /embeddings`: one text or several, as text, as tokens or as parts. */
export const embeddingsRequestSchema = z.object({
  model: z.string().min(1),
  input: z.union(
    [z.string().min(1), z.array(z.string().min(1)).min(1), tokens, z.array(tokens).min(1), z.array(parts).min(1)],
    {
      error:
        'must be a text, a list of texts, a list of tokens, a list of such lists, or a list of { content: parts }; none of them empty',
    },
  ),
  dimensions: z.int().min(1).nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  /** The purpose of the vectors, in the provider's own word. */
  input_type: z.string().nullish(),
  user: z.string().nullish(),
  provider: providerPreferencesSchema.nullish(),
  session_id: z.string().max(256).nullish(),
  trace: traceSchema.nullish(),
});
export type EmbeddingsRequest = z.infer<typeof embeddingsRequestSchema>;
/** What becomes one vector: a text, tokens, or parts. */
export type EmbeddingsItem = string | readonly number[] | z.infer<typeof parts>;

export const embeddingsResponseSchema = z.object({
  id: z.string(),
  object: z.literal('list'),
  model: z.string(),
  /** Display name of the provider that served it; behind a gateway upstream, the one that served there. */
  provider: z.string(),
  data: z.array(
    z.object({
      object: z.literal('embedding'),
      index: z.int(),
      /** Numbers, or little-endian 32-bit floats in base64, according to the request. */
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
  usage: z.object({
    prompt_tokens: z.int(),
    total_tokens: z.int(),
    /** USD; null when the price is unknown. Absent only for clients that take no null. */
    cost: z.number().nullable().optional(),
    is_byok: z.boolean().optional(),
    cost_details: costDetailsSchema.optional(),
    /** Tokens by what they were of, where upstream tells them apart. */
    prompt_tokens_details: z
      .object({
        text_tokens: z.int().optional(),
        image_tokens: z.int().optional(),
        audio_tokens: z.int().optional(),
        video_tokens: z.int().optional(),
        file_tokens: z.int().optional(),
      })
      .optional(),
  }),
  ...routingMembersSchema.shape,
});
