import { z } from 'zod';

import { traceSchema } from '../trace.ts';
import { cacheControlSchema, chatMessageSchema } from './chat-message.ts';
import { legacyField } from './legacy-field.ts';
import { providerPreferencesSchema } from './provider-preferences.ts';

const functionToolSchema = z.object({
  type: z.literal('function'),
  function: z.object({
    name: z.string().regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, underscores or dashes'),
    description: z.string().nullish(),
    /** A JSON Schema; passed on unchanged. */
    parameters: z.record(z.string(), z.unknown()).nullish(),
    strict: z.boolean().nullish(),
  }),
  cache_control: cacheControlSchema.nullish(),
});

/** A tool that the gateway itself runs, distinguished from the caller's own by its type. */
const serverToolSchema = z.looseObject({ type: z.string() }).refine(({ type }) => type !== 'function', { abort: true });

const toolSchema = z.union([functionToolSchema, serverToolSchema], {
  error: 'must be a function tool { type: "function", function: { name, … } } or a server tool { type }',
});

/** A condition that ends the loop of server tools (wire.md 10.3). */
const stopConditionSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('step_count_is'), step_count: z.int().min(0) }),
  z.object({ type: z.literal('has_tool_call'), tool_name: z.string().min(1) }),
  z.object({ type: z.literal('max_tokens_used'), max_tokens: z.int().min(0) }),
  z.object({ type: z.literal('max_cost'), max_cost_in_dollars: z.number().min(0) }),
  z.object({ type: z.literal('finish_reason_is'), reason: z.string().min(1) }),
]);

const toolChoiceSchema = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
    serverToolSchema,
  ],
  {
    error:
      'must be "none", "auto", "required", { type: "function", function: { name } } or the { type } of a server tool',
  },
);

const responseFormatSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({
      name: z.string().max(64),
      description: z.string().nullish(),
      schema: z.record(z.string(), z.unknown()).nullish(),
      strict: z.boolean().nullish(),
    }),
  }),
  z.object({ type: z.literal('grammar'), grammar: z.string() }),
  z.object({ type: z.literal('python') }),
]);

const effortSchema = z.enum(['max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none']);

const reasoningSchema = z.looseObject({
  effort: effortSchema.nullish(),
  max_tokens: z.int().nullish(),
  exclude: z.boolean().nullish(),
  enabled: z.boolean().nullish(),
  summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
});

/** Any JSON value, but a list has at most four items; upstream checks the rest. */
const stopSchema = z
  .unknown()
  .refine((stop) => !Array.isArray(stop) || stop.length <= 4, 'must be a list of at most 4 items');

const metadataSchema = z
  .record(z.string().max(64, 'keys have at most 64 characters'), z.string().max(512))
  .refine((metadata) => Object.keys(metadata).length <= 16, 'must have at most 16 pairs');

/** Output that is known in advance, so that upstream need not make it anew. */
const predictionSchema = z.looseObject({
  type: z.literal('content'),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.literal('text'), text: z.string() }))], {
    error: 'must be a string or a list of text parts',
  }),
});

/** The voice and the format of spoken output. Upstream knows which it has. */
const audioSchema = z.looseObject({
  voice: z.union([z.string(), z.looseObject({ id: z.string() })], {
    error: 'must be a string or an object with an id',
  }),
  format: z.string(),
});

const penalty = z.number().min(-2).max(2).nullish();

/** The body of `POST /chat/completions`. Fields it does not name are accepted and go no further. */
export const chatCompletionRequestSchema = z.object({
  messages: z.array(chatMessageSchema).min(1, 'must have at least 1 message'),
  model: z.string().min(1, 'must not be empty').nullish(),
  models: z.array(z.string().min(1, 'must not be empty')).nullish(),
  provider: providerPreferencesSchema.nullish(),
  route: z.unknown().optional(),
  preset: z.string().nullish(),

  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().min(0).nullish(),
  min_p: z.number().nullish(),
  top_a: z.number().nullish(),
  repetition_penalty: z.number().nullish(),
  frequency_penalty: penalty,
  presence_penalty: penalty,
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  seed: z.int().nullish(),
  stop: stopSchema.optional(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),

  tools: z.array(toolSchema).nullish(),
  tool_choice: toolChoiceSchema.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: z.int().nullish(),
  stop_server_tools_when: z.array(stopConditionSchema).min(1).nullish(),

  response_format: responseFormatSchema.nullish(),
  reasoning: reasoningSchema.nullish(),
  reasoning_effort: effortSchema.nullish(),
  include_reasoning: z.boolean().nullish(),
  verbosity: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  prediction: predictionSchema.nullish(),
  modalities: z.array(z.enum(['text', 'image', 'audio'])).nullish(),
  audio: audioSchema.nullish(),
  image_config: z
    .record(
      z.string(),
      z.union([z.string(), z.number(), z.array(z.unknown()), z.record(z.string(), z.unknown())], {
        error: 'must be a string, number, list or object',
      }),
    )
    .nullish(),

  plugins: z.array(z.looseObject({ id: z.string(), enabled: z.boolean().nullish() })).nullish(),
  transforms: z.array(z.string()).nullish(),
  cache_control: cacheControlSchema.nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_options: z.object({ mode: z.literal('explicit'), ttl: z.string().nullish() }).nullish(),

  metadata: metadataSchema.nullish(),
  session_id: z.string().max(256).nullish(),
  user: z.string().nullish(),
  trace: traceSchema.nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'priority', 'scale', 'fast']).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  debug: z.looseObject({ echo_upstream_body: z.boolean().nullish() }).nullish(),

  n: z.literal(1, { error: 'must be 1: a call has one completion; send a request for each that you need' }).nullish(),
  functions: legacyField('is not supported: send `tools`, each as { type: "function", function }'),
  function_call: legacyField('is not supported: send `tool_choice`'),
});

export type ChatCompletionRequest = z.infer<typeof chatCompletionRequestSchema>;
export type ReasoningEffort = z.infer<typeof effortSchema>;
