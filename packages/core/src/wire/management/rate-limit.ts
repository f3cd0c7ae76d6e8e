import { z } from 'zod';

/** A limit on the calls and the tokens of a minute. */
const rateLimitSchema = z.object({
  /** Name or hash of a key; `*` is every key, each counted separately. */
  key: z.string(),
  /** Id of a model; `*` is all models, counted together. */
  model: z.string(),
  /** Null is no limit. */
  requests_per_minute: z.int().nullable(),
  tokens_per_minute: z.int().nullable(),
});

export const rateLimitListSchema = z.object({ data: z.array(rateLimitSchema) });
export type RateLimitList = z.infer<typeof rateLimitListSchema>;
