import { z } from 'zod';

import { chatCompletionRequestSchema } from './chat-request.ts';
import { pageQuerySchema } from './fields.ts';

const MAX_MESSAGES = 100;
const MAX_TEXT = 200_000;

/** A message of a prompt: text alone, in which `{{name}}` stands for what is filled in when it is used. */
const promptMessageSchema = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string().min(1, 'must not be empty').max(MAX_TEXT),
});
export type PromptMessage = z.infer<typeof promptMessageSchema>;

/** Fields of a chat request that a prompt sends with its messages. Closed, so that a mistyped one is not lost in silence. */
const parametersSchema = chatCompletionRequestSchema
  .omit({
    messages: true,
    model: true,
    stream: true,
    stream_options: true,
    n: true,
    functions: true,
    function_call: true,
  })
  .strict();

const contentsShape = {
  messages: z.array(promptMessageSchema).min(1, 'must have at least 1 message').max(MAX_MESSAGES),
  /** Null leaves the choice to who uses it. */
  model: z.string().min(1, 'must not be empty').max(200).nullable().default(null),
  parameters: parametersSchema.nullable().default(null),
  /** What is new in this version. */
  note: z.string().max(500).nullable().default(null),
};

const nameSchema = z.string().trim().min(1, 'must not be empty').max(100);
const descriptionSchema = z.string().max(1000).nullable();

/** Body of `POST /admin/v1/prompts`. Closed. */
export const createPromptRequestSchema = z.strictObject({
  /** Default: made from the name. */
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be 1 to 64 small letters, digits and dashes')
    .optional(),
  name: nameSchema,
  description: descriptionSchema.default(null),
  ...contentsShape,
});

/** Body of `PATCH /admin/v1/prompts/{id}`. Closed; absent fields stay as they are. */
export const updatePromptRequestSchema = z.strictObject({
  name: nameSchema.optional(),
  description: descriptionSchema.optional(),
  current_version: z.int().min(1).optional(),
});

/** Body of `POST /admin/v1/prompts/{id}/versions`. Closed. */
export const createPromptVersionRequestSchema = z.strictObject({
  ...contentsShape,
  /** Whether it is the current version from now on. */
  make_current: z.boolean().default(true),
});

/** A version as a store has it. It never changes. */
const storedPromptVersionSchema = z.object({
  /** 1 for the first. */
  version: z.int(),
  messages: z.array(promptMessageSchema),
  model: z.string().nullable(),
  parameters: z.record(z.string(), z.unknown()).nullable(),
  note: z.string().nullable(),
  created_at: z.string(),
  /** The name that its author's key had. */
  created_by: z.string(),
});

export type StoredPromptVersion = Readonly<z.infer<typeof storedPromptVersionSchema>>;

const promptVersionSchema = storedPromptVersionSchema.extend({
  /** Names that stand in double braces, in the order in which they first appear. */
  variables: z.array(z.string()),
});
export type PromptVersion = z.infer<typeof promptVersionSchema>;

export const promptVersionResponseSchema = z.object({ data: promptVersionSchema });

const promptHeadSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  current_version: z.int(),
  version_count: z.int(),
  /** The model of the current version, as are the variables. */
  model: z.string().nullable(),
  variables: z.array(z.string()),
  created_at: z.string(),
  /** When a version was added or made current, or the name or the description changed. */
  updated_at: z.string(),
});

/** A prompt without its texts, for lists. */
export type PromptHead = z.infer<typeof promptHeadSchema>;

export const promptListQuerySchema = pageQuerySchema.extend({
  /** A part of the name, the id or the description. */
  q: z.string().max(200).optional(),
});

export const promptListSchema = z.object({
  /** The last changed first. */
  data: z.array(promptHeadSchema),
  total_count: z.int(),
});

const promptSchema = promptHeadSchema.extend({
  /** The newest first. */
  versions: z.array(promptVersionSchema),
});
export type Prompt = z.infer<typeof promptSchema>;

export const promptResponseSchema = z.object({ data: promptSchema });
