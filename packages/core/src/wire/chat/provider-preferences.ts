import { z } from 'zod';

/** A price as text or number: public documentation shows both. */
const priceSchema = z.union([z.number(), z.string().regex(/^\d+(\.\d+)?$/, 'must be a decimal number')]);

const percentilesSchema = z.union([
  z.number(),
  z.object({ p50: z.number(), p75: z.number(), p90: z.number(), p99: z.number() }).partial(),
]);

const sortKeySchema = z.enum(['price', 'throughput', 'latency', 'exacto']);

/**
 * The caller's routing preferences (wire.md 8.1). Closed: a misspelt preference without effect could send data to a
 * provider that the caller meant to exclude.
 */
export const providerPreferencesSchema = z.strictObject({
  order: z.array(z.string()).nullish(),
  only: z.array(z.string()).nullish(),
  ignore: z.array(z.string()).nullish(),
  allow_fallbacks: z.boolean().nullish(),
  require_parameters: z.boolean().nullish(),
  data_collection: z.enum(['allow', 'deny']).nullish(),
  zdr: z.boolean().nullish(),
  enforce_distillable_text: z.boolean().nullish(),
  quantizations: z.array(z.string()).nullish(),
  sort: z
    .union([sortKeySchema, z.object({ by: sortKeySchema.nullish(), partition: z.enum(['model', 'none']).nullish() })])
    .nullish(),
  max_price: z
    .object({
      prompt: priceSchema,
      completion: priceSchema,
      request: priceSchema,
      image: priceSchema,
      audio: priceSchema,
    })
    .partial()
    .nullish(),
  preferred_min_throughput: percentilesSchema.nullish(),
  preferred_max_latency: percentilesSchema.nullish(),
});

export type ProviderPreferences = z.infer<typeof providerPreferencesSchema>;
