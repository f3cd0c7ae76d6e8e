import { z } from 'zod';

import { modelReasoningSchema, pricingSchema } from './model-facts.ts';

const index = z.number().nullable();

/** Scores of others, where the definition of the model states them. */
const benchmarksSchema = z.object({
  artificial_analysis: z.object({ intelligence_index: index, coding_index: index, agentic_index: index }).optional(),
  /** None are collected. */
  design_arena: z.array(z.looseObject({})),
});

const architectureSchema = z.object({
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  /** `<input>-><output>`, e.g. `text+image->text`. */
  modality: z.string().nullable(),
  instruct_type: z.string().nullable(),
  tokenizer: z.string(),
});

/** A model as the lists show it. */
export const modelSchema = z.object({
  id: z.string(),
  canonical_slug: z.string(),
  name: z.string(),
  description: z.string(),
  /** Unix seconds. */
  created: z.int(),
  context_length: z.int().nullable(),
  architecture: architectureSchema,
  pricing: pricingSchema,
  top_provider: z.object({
    is_moderated: z.boolean(),
    context_length: z.int().nullable(),
    max_completion_tokens: z.int().nullable(),
  }),
  supported_parameters: z.array(z.string()),
  supported_voices: z.array(z.string()).nullable(),
  default_parameters: z.record(z.string(), z.number().nullable()).nullable(),
  per_request_limits: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullable(),
  links: z.object({ details: z.string() }),
  expiration_date: z.string().nullable(),
  knowledge_cutoff: z.string().nullable(),
  hugging_face_id: z.string().nullable(),
  /** Absent where it is not known, and for models that do not reason. */
  reasoning: modelReasoningSchema.optional(),
  benchmarks: benchmarksSchema.optional(),
  /** The model itself, where it is asked for under another name. */
  alias_target: z.object({ slug: z.string(), name: z.string() }).optional(),
});
export type Model = z.infer<typeof modelSchema>;

export const modelListSchema = z.object({
  data: z.array(modelSchema),
  total_count: z.int(),
  links: z.object({ next: z.string().nullable() }),
});
export type ModelList = z.infer<typeof modelListSchema>;

/** Measured values by the share of calls that reached or beat them. */
const percentilesSchema = z.object({ p50: z.number(), p75: z.number(), p90: z.number(), p99: z.number() });

export const modelCountSchema = z.object({ data: z.object({ count: z.int() }) });

/** One model at one provider, as `GET /models/{author}/{slug}/endpoints` lists it. */
export const modelEndpointSchema = z.object({
  name: z.string(),
  model_id: z.string(),
  model_name: z.string(),
  provider_name: z.string(),
  tag: z.string(),
  quantization: z.string().nullable(),
  context_length: z.int(),
  max_completion_tokens: z.int().nullable(),
  max_prompt_tokens: z.int().nullable(),
  pricing: pricingSchema,
  supported_parameters: z.array(z.string()),
  supports_implicit_caching: z.boolean(),
  supports_tool_choice: z.object({
    auto: z.boolean(),
    function: z.boolean(),
    none: z.boolean(),
    required: z.boolean(),
  }),
  status: z.int(),
  uptime_last_5m: z.number().nullable(),
  uptime_last_30m: z.number().nullable(),
  uptime_last_1d: z.number().nullable(),
  /** Milliseconds; null until enough calls were made. */
  latency_last_30m: percentilesSchema.nullable(),
  /** Tokens a second; null until enough calls were made. */
  throughput_last_30m: percentilesSchema.nullable(),
});
export type ModelEndpoint = z.infer<typeof modelEndpointSchema>;

export const modelEndpointsSchema = z.object({
  data: z.object({
    id: z.string(),
    name: z.string(),
    created: z.int(),
    description: z.string(),
    architecture: architectureSchema,
    endpoints: z.array(modelEndpointSchema),
  }),
});
export type ModelEndpoints = z.infer<typeof modelEndpointsSchema>;

/** A model as Codex asks for it: what it may do with it. One entry that it cannot read fails the whole list. */
const codexModelSchema = z.object({
  slug: z.string(),
  display_name: z.string(),
  description: z.string().nullable(),
  supported_reasoning_levels: z.array(z.object({ effort: z.string(), description: z.string() })),
  default_reasoning_level: z.string().nullable(),
  shell_type: z.string(),
  visibility: z.string(),
  supported_in_api: z.boolean(),
  priority: z.int(),
  availability_nux: z.null(),
  upgrade: z.null(),
  base_instructions: z.string(),
  support_verbosity: z.boolean(),
  default_verbosity: z.null(),
  supports_reasoning_summaries: z.boolean(),
  supports_parallel_tool_calls: z.boolean(),
  apply_patch_tool_type: z.null(),
  truncation_policy: z.object({ mode: z.string(), limit: z.int() }),
  context_window: z.int().nullable(),
  input_modalities: z.array(z.string()),
  experimental_supported_tools: z.array(z.string()),
});
export type CodexModel = z.infer<typeof codexModelSchema>;

/** What Anthropic's clients read of a model, beside the fields of the list. */
const anthropicFields = {
  type: z.literal('model').optional(),
  display_name: z.string().optional(),
  created_at: z.string().optional(),
};

/** The list of models, with what its client asks for by the query or a header. */
export const clientModelListSchema = modelListSchema.extend({
  data: z.array(modelSchema.extend(anthropicFields)),
  /** For Codex, with `client_version`. */
  models: z.array(codexModelSchema).optional(),
  /** For Anthropic's clients, with `anthropic-version`. */
  has_more: z.boolean().optional(),
  first_id: z.string().nullable().optional(),
  last_id: z.string().nullable().optional(),
});

export const oneModelSchema = z.object({ data: modelSchema });

/** A model as OpenAI's clients ask for one. */
export const retrievedModelSchema = modelSchema.extend({ object: z.literal('model'), owned_by: z.string() });
