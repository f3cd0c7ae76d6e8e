import { z } from 'zod';

import { modelListSchema, modelSchema } from './model.ts';

/** A model as Codex asks for it: what it may do with it. One entry that it cannot read fails the whole list. */
export const codexModelSchema = z.object({
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
