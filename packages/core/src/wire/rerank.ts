import { z } from 'zod';

import { traceSchema } from './fields.ts';
import { providerPreferencesSchema, routingMembersSchema } from './routing.ts';

/** A document of a request: a text, an image as an address or a data URL, or both. */
const documentSchema = z
  .object({ text: z.string().min(1).optional(), image: z.string().min(1).optional() })
  .refine(({ text, image }) => text !== undefined || image !== undefined, 'must have a text or an image');

/** The body of `POST /rerank`: a query, and what is to be put in order by its relevance to that. */
export const rerankRequestSchema = z.object({
  model: z.string().min(1),
  query: z.string().min(1),
  documents: z
    .array(z.union([z.string().min(1), documentSchema], { error: 'must be a text, or an object with text or image' }))
    .min(1),
  /** How many of the documents are returned; all of them by default. */
  top_n: z.int().min(1).nullish(),
  user: z.string().nullish(),
  provider: providerPreferencesSchema.nullish(),
  session_id: z.string().max(256).nullish(),
  trace: traceSchema.nullish(),
});
export type RerankRequest = z.infer<typeof rerankRequestSchema>;
export type RerankDocument = RerankRequest['documents'][number];

export const rerankResponseSchema = z.object({
  id: z.string(),
  model: z.string(),
  /** Display name of the provider that served it; behind a gateway upstream, the one that served there. */
  provider: z.string(),
  /** The most relevant document first. */
  results: z.array(
    z.object({
      /** Place of the document in the request, from 0. */
      index: z.int(),
      relevance_score: z.number(),
      /** The document as the request has it, always as an object. */
      document: z.object({ text: z.string().optional(), image: z.string().optional() }),
    }),
  ),
  usage: z.object({
    /** USD; absent when the price is unknown, because clients take no null here. */
    cost: z.number().optional(),
    /** What some providers charge by; absent where upstream reports none. */
    search_units: z.int().optional(),
    total_tokens: z.int(),
  }),
  /** As Cohere counts, whose clients insist on it. */
  meta: z.object({ billed_units: z.object({ search_units: z.int().optional() }) }),
  ...routingMembersSchema.shape,
});
