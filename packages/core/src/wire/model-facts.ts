import { z } from 'zod';

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
const hhmm = z
  .int()
  .min(0)
  .max(2400)
  .refine((time) => time % 100 < 60, 'must be a time of day as HHMM, e.g. 930 for half past nine');

/** Prices that replace the common ones when all conditions hold; later ones take precedence unit by unit. */
export const pricingOverrideSchema = z.object({
  /** Prompts of more tokens than this. */
  min_prompt_tokens: z.int().optional(),
  /** Time of day as HHMM: 930 is half past nine. From `utc_start` until just before `utc_end`, over midnight if need be. */
  utc_start: hhmm.optional(),
  utc_end: hhmm.optional(),
  utc_days: z.array(z.enum(DAYS)).optional(),
  prompt: z.string().optional(),
  completion: z.string().optional(),
  audio: z.string().optional(),
  input_audio_cache: z.string().optional(),
  input_cache_read: z.string().optional(),
  input_cache_write: z.string().optional(),
  input_cache_write_1h: z.string().optional(),
});
export type PricingOverride = z.infer<typeof pricingOverrideSchema>;

/**
 * USD per unit as decimal text (wire.md 14.2). The first four are always there: `0` where nothing is charged by the
 * unit, `-1` where the price is unknown, as on the public wire (docs/decisions/0007). A price of an image is on top of
 * its tokens.
 */
export const pricingSchema = z.object({
  prompt: z.string(),
  completion: z.string(),
  request: z.string(),
  image: z.string(),
  image_token: z.string().optional(),
  image_output: z.string().optional(),
  audio: z.string().optional(),
  audio_output: z.string().optional(),
  input_audio_cache: z.string().optional(),
  input_cache_read: z.string().optional(),
  input_cache_write: z.string().optional(),
  input_cache_write_1h: z.string().optional(),
  internal_reasoning: z.string().optional(),
  web_search: z.string().optional(),
  /** Price of a query with up to 100 documents, of models that rank them; the gateway's own field. */
  search_unit: z.string().optional(),
  /** Prices of models that make videos, by the measured unit; the gateway's own field. */
  video: z.string().optional(),
  video_second: z.string().optional(),
  video_token: z.string().optional(),
  /** Prices of models that speak or listen, by what they are charged by: a character of the text, a second of audio. */
  character: z.string().optional(),
  audio_second: z.string().optional(),
  /** The same of models that make images, where they are not charged by tokens: `image_output` is the price of a token. */
  generated_image: z.string().optional(),
  generated_megapixel: z.string().optional(),
  overrides: z.array(pricingOverrideSchema).optional(),
  /** Always 0: the prices are those that are charged. */
  discount: z.literal(0).optional(),
});
export type Pricing = z.infer<typeof pricingSchema>;

/** How a model reasons, where that is known. */
export const modelReasoningSchema = z.object({
  mandatory: z.boolean(),
  default_enabled: z.boolean().optional(),
  default_effort: z.string().optional(),
  /** The highest first; null: any. */
  supported_efforts: z.array(z.string()).nullable().optional(),
  supports_max_tokens: z.boolean().optional(),
});
