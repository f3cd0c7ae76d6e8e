import { z } from 'zod';

/** A price as text or number: public documentation shows both. */
const priceSchema = z.union([z.number(), z.string().regex(/^\d+(\.\d+)?$/, 'must be a decimal number')]);

const cutoff = z.number().nullish();
const percentilesSchema = z.union([z.number(), z.object({ p50: cutoff, p75: cutoff, p90: cutoff, p99: cutoff })], {
  error: 'must be a number, or an object with numbers for p50, p75, p90 and p99',
});

const quantizationSchema = z.enum([
  'int4',
  'int8',
  'fp4',
  'mxfp4',
  'nvfp4',
  'fp6',
  'fp8',
  'mxfp8',
  'fp16',
  'bf16',
  'fp32',
  'unknown',
]);

const SORT_KEYS = ['price', 'throughput', 'latency', 'exacto'] as const;
export const sortKeySchema = z.enum(SORT_KEYS);
const sortSchema = z.union(
  [sortKeySchema, z.object({ by: sortKeySchema.nullish(), partition: z.enum(['model', 'none']).nullish() })],
  { error: `must be one of ${SORT_KEYS.join(', ')}, or { by, partition }` },
);

/** The most that an endpoint may charge: USD a million tokens, for a request, an image and a piece of audio each. */
export const maxPriceSchema = z
  .object({
    prompt: priceSchema,
    completion: priceSchema,
    request: priceSchema,
    image: priceSchema,
    audio: priceSchema,
  })
  .partial();

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
  quantizations: z.array(quantizationSchema).nullish(),
  sort: sortSchema.nullish(),
  max_price: maxPriceSchema.nullish(),
  preferred_min_throughput: percentilesSchema.nullish(),
  preferred_max_latency: percentilesSchema.nullish(),
  /** The gateway's own: a stream that breaks off goes on at another endpoint of its model (docs/routing.md). */
  continue_broken_streams: z.boolean().nullish(),
});

export type ProviderPreferences = z.infer<typeof providerPreferencesSchema>;
