import { z } from 'zod';

import { imageCapabilitiesSchema } from './image-capabilities.ts';
import { modelReasoningSchema, type PricingOverride, pricingOverrideSchema, pricingSchema } from './model-facts.ts';
import { videoCapabilitiesSchema } from './video-capabilities.ts';

/** USD as decimal text; exact, unlike a number. */
const priceText = z.string().regex(/^\d+(\.\d+)?$/, 'must be a decimal number as text, e.g. "0.00000015"');

const { overrides: _overrides, discount: _discount, ...wireUnits } = pricingSchema.shape;
const { min_prompt_tokens, utc_start, utc_end, utc_days, ...overridableUnits } = pricingOverrideSchema.shape;

const asPrices = (units: Readonly<Record<string, unknown>>): Record<string, z.ZodType<string>> =>
  Object.fromEntries(Object.keys(units).map((unit) => [unit, priceText]));

const overrideSchema = z
  .strictObject({ ...asPrices(overridableUnits), min_prompt_tokens, utc_start, utc_end, utc_days })
  .partial()
  .refine(
    ({ utc_start: start, utc_end: end }) => (start === undefined) === (end === undefined),
    'needs both utc_start and utc_end, or neither',
  );

const endpointPricingSchema = z
  .strictObject({
    ...asPrices(wireUnits),
    overrides: z.array(overrideSchema),
  })
  .partial() as z.ZodType<EndpointPricing>;

export type PriceUnit = keyof typeof wireUnits;

/** Prices an endpoint charges, USD a unit. A unit that is missing has no known price, which is not the same as 0. */
export type EndpointPricing = { readonly [unit in PriceUnit]?: string | undefined } & {
  readonly overrides?: readonly PricingOverride[] | undefined;
};

/**
 * How an endpoint is asked to continue a completion that has begun: the conversation ends with the model's text, which
 * alone says it (`continues`), or is marked with `prefix` (`prefix`), or the request says it with
 * `continue_final_message`.
 */
const PREFILL_FORMS = ['continues', 'prefix', 'continue_final_message'] as const;
export type PrefillForm = (typeof PREFILL_FORMS)[number];

export const endpointDefinitionSchema = z.strictObject({
  /** Slug of a configured provider. */
  provider: z.string(),
  /** The provider's own name of the model. */
  providerModel: z.string(),
  /** USD a unit as text: `{ prompt: '0.00000015', completion: '0.0000006' }`. Absent: not known; limits need it. */
  pricing: endpointPricingSchema.optional(),
  /** Tokens of prompt and completion together. Default: the model's. */
  context_length: z.int().positive().optional(),
  /** Default: what the context leaves. */
  max_completion_tokens: z.int().positive().optional(),
  /** Default: what the context leaves. */
  max_prompt_tokens: z.int().positive().optional(),
  /** Absent: not known, so no parameter is dropped. */
  supported_parameters: z.array(z.string()).optional(),
  /** `fp8`, `int4`…, for callers that accept only some. */
  quantization: z.string().optional(),
  /** Default: the provider's. */
  region: z.string().optional(),
  /** A tier or variant after the provider's slug, as in `deepinfra/turbo`. */
  tag: z.string().optional(),
  /** Whether it caches prompts without being asked to. */
  supports_implicit_caching: z.boolean().optional(),
  /** The least `max_tokens` it accepts. */
  minOutputTokens: z.int().positive().optional(),
  /** How it continues a completion that broke off elsewhere; false: not at all. Default: what is known of the provider. */
  prefill: z
    .union([z.enum(PREFILL_FORMS), z.literal(false)], {
      error: `must be one of ${PREFILL_FORMS.join(', ')}, or false`,
    })
    .optional(),
});

const benchmarkDefinitionSchema = z
  .strictObject({
    intelligence_index: z.number(),
    coding_index: z.number(),
    agentic_index: z.number(),
    tool_success_rate: z.number().min(0).max(1).describe('Share of requests with tools that end in a call of one'),
  })
  .partial();

/** Variants stand behind a colon, and names of newest models begin with a tilde. */
const ALIAS = /^[^\s:~@][^\s:]*$/;

/** A model as configuration describes it: the fields of lists, and its endpoints. */
export const modelDefinitionSchema = z.strictObject({
  /** As callers name it: `author/name`. */
  id: z.string().regex(/^[^/\s]+\/\S+$/, 'must be author/name'),
  /** For people. Default: the id. */
  name: z.string().optional(),
  aliases: z
    .array(z.string().max(200).regex(ALIAS, 'must be a name without spaces and colons, e.g. "fast"'))
    .optional()
    .describe('Other names of the model'),
  canonical_slug: z.string().optional(),
  description: z.string().optional(),
  /** Unix seconds. */
  created: z.int().optional(),
  /** Tokens of prompt and completion together. Limits of money need it, to know what a call may cost at most. */
  context_length: z.int().positive().nullable().optional(),
  /** What it reads and writes: `text`, `image`, `file`, `audio`, `video`, `embeddings`, `rerank`. Default: text to text. */
  architecture: z
    .strictObject({
      input_modalities: z.array(z.string()).min(1).optional(),
      output_modalities: z.array(z.string()).min(1).optional(),
      instruct_type: z.string().nullable().optional(),
      tokenizer: z.string().optional(),
    })
    .optional(),
  supported_voices: z.array(z.string()).nullable().optional(),
  default_parameters: z.record(z.string(), z.number().nullable()).nullable().optional(),
  per_request_limits: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullable().optional(),
  expiration_date: z.string().nullable().optional(),
  /** Whether the author permits training of other models on completions. Absent: not known, so not permitted. */
  distillable: z.boolean().optional(),
  knowledge_cutoff: z.string().nullable().optional(),
  hugging_face_id: z.string().nullable().optional().describe('Where its weights are, at Hugging Face'),
  reasoning: modelReasoningSchema
    .strict()
    .optional()
    .describe('How it reasons: whether it must, and with which efforts; for clients that ask'),
  benchmarks: benchmarkDefinitionSchema.optional().describe('Scores of others, by which lists are filtered and sorted'),
  /** Capabilities of a model that makes videos. */
  video: videoCapabilitiesSchema.optional(),
  /** Capabilities of a model that makes images. */
  image: imageCapabilitiesSchema.optional(),
  /** The providers that serve it. Without preferences of the caller, the cheaper ones come first more often. */
  endpoints: z.array(endpointDefinitionSchema).min(1, 'must name at least one endpoint'),
});

/** A model as configured. One that the built-in catalog has states only what differs: see `overrideModels`. */
export const configuredModelSchema = modelDefinitionSchema.extend({
  endpoints: z
    .array(endpointDefinitionSchema.partial({ providerModel: true }))
    .min(1, 'must name at least one endpoint')
    .optional(),
});

/** A model that a gateway serves, and where: `{ id: 'openai/gpt-4o-mini', endpoints: [{ provider, providerModel }] }`. */
export interface ModelDefinition extends z.infer<typeof modelDefinitionSchema> {}
/** One provider's offer of a model. */
export interface EndpointDefinition extends z.infer<typeof endpointDefinitionSchema> {}
/** A model of a config file, which states only what differs from the built-in catalog. */
export interface ConfiguredModel extends z.infer<typeof configuredModelSchema> {}

const modelSetupSchema = z.object({
  id: z.string(),
  /** `config`: of the config file, and changed there alone. */
  source: z.enum(['config', 'stored']),
  /**
   * `ready`: served. `idle`: none of its providers is called at the moment. `shadowed`: the configuration has one of the
   * same id, which is served. `failed`: cannot be served.
   */
  status: z.enum(['ready', 'idle', 'shadowed', 'failed']),
  /** In words; null when ready. */
  problem: z.string().nullable(),
  /** As in a config file: what a built-in model of the same id has need not be repeated. Null when it cannot be read. */
  definition: configuredModelSchema.nullable(),
  created_at: z.string().nullable(),
  updated_at: z.string().nullable(),
});
export type ModelSetup = z.infer<typeof modelSetupSchema>;

export const modelSetupResponseSchema = z.object({ data: modelSetupSchema });

export const modelSetupListSchema = z.object({
  data: z.array(modelSetupSchema),
  /** Whether providers and models can be set up here. */
  editable: z.boolean(),
});
