import { z } from 'zod';

import type { ReasoningEffort } from './chat-request.ts';
import { routingMembersSchema } from './routing.ts';

const EFFORTS = ['max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none'] as const satisfies ReasoningEffort[];

/**
 * The parameters of a call that mean something for a model elsewhere. The others set up the process that runs a model
 * (`num_ctx`, `num_gpu`, `mirostat` …) and are accepted without effect.
 */
const optionsSchema = z.looseObject({
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().min(0).nullish(),
  min_p: z.number().nullish(),
  seed: z.int().nullish(),
  /** Below 1: no limit. */
  num_predict: z.int().nullish(),
  stop: z
    .union([z.string(), z.array(z.string()).max(4, 'must have at most 4 items')], {
      error: 'must be a string or a list of strings',
    })
    .nullish(),
  repeat_penalty: z.number().nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
});

/** In base64, without the head of a data URL. */
const imagesSchema = z.array(z.string().min(1)).nullish();

const model = z.string().min(1, 'must not be empty');
const keepAlive = z.union([z.string(), z.number()]).nullish();

/** The fields that calls of both forms have. */
const callFields = {
  /** Absent: the default model of the account. */
  model: model.nullish(),
  stream: z.boolean().nullish(),
  format: z
    .union([z.enum(['json', '']), z.record(z.string(), z.unknown())], {
      error: 'must be "json" or a JSON schema',
    })
    .nullish(),
  options: optionsSchema.nullish(),
  think: z
    .union([z.boolean(), z.enum(['', ...EFFORTS])], {
      error: 'must be true, false, or an effort: "low", "medium" or "high"',
    })
    .nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  /** Without effect: models are loaded where they run. */
  keep_alive: keepAlive,
};

const toolCall = z.looseObject({
  id: z.string().nullish(),
  function: z.looseObject({
    name: z.string(),
    /** An object; some clients send its text. */
    arguments: z.union([z.record(z.string(), z.unknown()), z.string()]).nullish(),
  }),
});

const messageSchema = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string().nullish(),
  images: imagesSchema,
  thinking: z.string().nullish(),
  tool_calls: z.array(toolCall).nullish(),
  /** The tool whose result a message has; `name` in older clients. */
  tool_name: z.string().nullish(),
  name: z.string().nullish(),
  tool_call_id: z.string().nullish(),
});

/**
 * The body of `POST /api/chat` as far as it is translated. Fields of the gateway (`provider`, `models`, `plugins`) have
 * their names and forms in chat completions; unknown ones are accepted without effect, as Ollama does.
 */
export const ollamaChatRequestSchema = z.looseObject({
  ...callFields,
  messages: z.array(messageSchema).nullish(),
  tools: z.array(z.looseObject({ type: z.string().nullish() })).nullish(),
});

const refused = (problem: string) => z.literal('', { error: problem }).nullish();

/** The body of `POST /api/generate`. The `context` of an earlier response is accepted without effect. */
export const ollamaGenerateRequestSchema = z.looseObject({
  ...callFields,
  prompt: z.string().nullish(),
  system: z.string().nullish(),
  images: imagesSchema,
  suffix: refused('is not supported: a chat model cannot fill in before a text'),
  template: refused('is not supported: the model has a template of its own where it runs'),
  /** The prompt is sent as the only message, whatever it contains. */
  raw: z.boolean().nullish(),
});

export type OllamaChatRequest = z.infer<typeof ollamaChatRequestSchema>;
export type OllamaGenerateRequest = z.infer<typeof ollamaGenerateRequestSchema>;
export type OllamaMessage = z.infer<typeof messageSchema>;
export type OllamaCall = Pick<OllamaChatRequest, keyof typeof callFields> & Record<string, unknown>;

/** Durations in nanoseconds. Counts are absent where they are not known. */
const figures = {
  total_duration: z.int().optional(),
  load_duration: z.int().optional(),
  prompt_eval_count: z.int().optional(),
  prompt_eval_duration: z.int().optional(),
  eval_count: z.int().optional(),
  eval_duration: z.int().optional(),
};

const responseFields = {
  model: z.string(),
  created_at: z.string(),
  done: z.boolean(),
  /** In the last line: `stop`, `length`, `content_filter`, or `load` for a request without a prompt. */
  done_reason: z.string().optional(),
  logprobs: z.array(z.unknown()).optional(),
  ...figures,
  ...routingMembersSchema.shape,
};

/** The response of `POST /api/chat`, and each line of a stream. */
export const ollamaChatResponseSchema = z.looseObject({
  ...responseFields,
  message: z.looseObject({
    role: z.literal('assistant'),
    content: z.string(),
    thinking: z.string().optional(),
    tool_calls: z
      .array(
        z.object({
          id: z.string(),
          function: z.object({ index: z.int(), name: z.string(), arguments: z.record(z.string(), z.unknown()) }),
        }),
      )
      .optional(),
  }),
});

/** The response of `POST /api/generate`, and each line of a stream. */
export const ollamaGenerateResponseSchema = z.looseObject({
  ...responseFields,
  response: z.string(),
  thinking: z.string().optional(),
});

/** The last line of a stream that has broken off. */
export const ollamaErrorLineSchema = z.looseObject({ error: z.string() });

/** The body of `POST /api/embed`. */
export const ollamaEmbedRequestSchema = z.looseObject({
  model,
  input: z.union([z.string(), z.array(z.string())], { error: 'must be a text or a list of texts' }),
  dimensions: z.int().min(0).nullish(),
  /** Without effect: whether a text that is too long is cut off is decided where the model runs. */
  truncate: z.boolean().nullish(),
  keep_alive: keepAlive,
});

export const ollamaEmbedResponseSchema = z.object({
  model: z.string(),
  embeddings: z.array(z.array(z.number())),
  total_duration: z.int(),
  load_duration: z.int(),
  prompt_eval_count: z.int(),
});

/** The body of `POST /api/embeddings`, the older form, and its response. */
export const ollamaEmbeddingsRequestSchema = z.looseObject({ model, prompt: z.string(), keep_alive: keepAlive });
export const ollamaEmbeddingsResponseSchema = z.object({ embedding: z.array(z.number()) });

const detailsSchema = z.object({
  parent_model: z.string(),
  format: z.string(),
  family: z.string(),
  families: z.array(z.string()),
  parameter_size: z.string(),
  quantization_level: z.string(),
});

/** One model of `GET /api/tags`. Its size is 0, as it is not kept here. */
const listedModelSchema = z.object({
  name: z.string(),
  model: z.string(),
  modified_at: z.string(),
  size: z.int(),
  digest: z.string(),
  details: detailsSchema,
});
export type OllamaListedModel = z.infer<typeof listedModelSchema>;

export const ollamaModelListSchema = z.object({ models: z.array(listedModelSchema) });

/** The body of `POST /api/show`; older clients send `name`. */
export const ollamaShowRequestSchema = z
  .looseObject({ model: model.nullish(), name: model.nullish() })
  .refine((body) => body.model != null || body.name != null, { path: ['model'], message: 'must name a model' });

export const ollamaShowResponseSchema = z.object({
  license: z.string(),
  modelfile: z.string(),
  parameters: z.string(),
  template: z.string(),
  details: detailsSchema,
  model_info: z.record(z.string(), z.unknown()),
  capabilities: z.array(z.string()),
  modified_at: z.string(),
});

export const ollamaVersionSchema = z.object({ version: z.string() });
