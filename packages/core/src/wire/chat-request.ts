import { z } from 'zod';

import { isRecord, parseWith } from '../foundation/parse.ts';
import { traceSchema } from './fields.ts';
import { providerPreferencesSchema } from './routing.ts';

type Schema = typeof chatCompletionRequestSchema;

/** Limit of compiled schemas. Clients send few different sets of fields; beyond the limit the whole schema is used. */
const MAX_SCHEMAS = 200;
/** More fields than exist; a request with more of them is checked against the whole schema. */
const MAX_FIELDS = 100;
const schemasByFields = new Map<string, Schema>();

/**
 * Checks a chat request; throws `invalid_request` that lists every issue with its path. The schema is narrowed to the
 * fields that are present, because the absent ones cost more than the check of the others (docs/decisions/0006).
 */
export function parseChatCompletion(value: unknown): ChatCompletionRequest {
  return parseWith(isRecord(value) ? schemaFor(value) : chatCompletionRequestSchema, value);
}

function schemaFor(value: object): Schema {
  const sent = Object.keys(value);
  if (sent.length > MAX_FIELDS) return chatCompletionRequestSchema;
  const key = sent.join();
  const known = schemasByFields.get(key);
  if (known !== undefined) return known;
  if (schemasByFields.size >= MAX_SCHEMAS) return chatCompletionRequestSchema;
  const fields = sent.filter((field) => Object.hasOwn(chatCompletionRequestSchema.shape, field));
  // Required fields remain, so that their absence is an issue.
  const mask = Object.fromEntries(['messages', ...fields].map((field) => [field, true]));
  const narrowed = chatCompletionRequestSchema.pick(mask as { messages: true }) as unknown as Schema;
  schemasByFields.set(key, narrowed);
  return narrowed;
}

/** Makes the schema of a field that older clients send. It is refused, because ignoring it would change the response. */
const legacyField = (message: string) => z.null({ error: message }).optional();

/** A breakpoint for providers that cache prompts explicitly (wire.md 6.7). */
const cacheControlSchema = z.object({
  type: z.literal('ephemeral'),
  ttl: z.enum(['5m', '1h']).nullish(),
});

const textPartSchema = z.object({
  type: z.literal('text'),
  text: z.string(),
  cache_control: cacheControlSchema.nullish(),
  prompt_cache_breakpoint: z.looseObject({ mode: z.string() }).nullish(),
});

/** A part of a message, and of what is turned into a vector. */
export const contentPartSchema = z.discriminatedUnion('type', [
  textPartSchema,
  z.object({
    type: z.literal('image_url'),
    image_url: z.object({ url: z.string(), detail: z.enum(['auto', 'low', 'high', 'original']).nullish() }),
    cache_control: cacheControlSchema.nullish(),
  }),
  z.object({ type: z.literal('input_audio'), input_audio: z.object({ data: z.string(), format: z.string() }) }),
  z.object({
    type: z.literal('file'),
    file: z.object({
      filename: z.string().nullish(),
      /** A data URL or an http(s) URL. */
      file_data: z.string().nullish(),
      file_id: z.string().nullish(),
    }),
    cache_control: cacheControlSchema.nullish(),
  }),
  z.object({ type: z.literal('video_url'), video_url: z.object({ url: z.string() }) }),
  z.object({ type: z.literal('input_video'), video_url: z.object({ url: z.string() }) }),
]);

const contentSchema = z.union([z.string(), z.array(contentPartSchema)], {
  error: 'must be a string or a list of content parts',
});

const textContentSchema = z.union([z.string(), z.array(textPartSchema)], {
  error: 'must be a string or a list of text parts',
});

export const toolCallSchema = z.object({
  id: z.string(),
  type: z.literal('function').default('function'),
  /** `arguments` is a JSON document as text, as the model wrote it. */
  function: z.object({ name: z.string(), arguments: z.string() }),
});

/** Opaque to the gateway: a provider's reasoning details, to be sent back unchanged and in order. */
export const reasoningDetailSchema = z.looseObject({ type: z.string() });

const name = z.string().nullish();

const chatMessageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: textContentSchema, name }),
  z.object({ role: z.literal('developer'), content: textContentSchema, name }),
  z.object({ role: z.literal('user'), content: contentSchema, name }),
  z.object({
    role: z.literal('assistant'),
    content: contentSchema.nullish(),
    name,
    refusal: z.string().nullish(),
    reasoning: z.string().nullish(),
    /** Alias of `reasoning` that some clients send. */
    reasoning_content: z.string().nullish(),
    reasoning_details: z.array(reasoningDetailSchema).nullish(),
    tool_calls: z.array(toolCallSchema).nullish(),
    function_call: legacyField('is not supported: send `tool_calls`'),
    images: z.array(z.looseObject({})).nullish(),
    audio: z.looseObject({}).nullish(),
    annotations: z.array(z.looseObject({})).nullish(),
  }),
  z.object({ role: z.literal('tool'), content: contentSchema, tool_call_id: z.string(), name }),
]);

export type ChatMessage = z.infer<typeof chatMessageSchema>;
export type ContentPart = z.infer<typeof contentPartSchema>;
export type ToolCall = z.infer<typeof toolCallSchema>;
export type ReasoningDetail = z.infer<typeof reasoningDetailSchema>;

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

/** Output that is known in advance, so that upstream need not make it again. */
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

/** The schemas of some fields, for the documents of other forms, which have them under the same names. */
export function chatFields<Name extends keyof Schema['shape']>(names: readonly Name[]): Pick<Schema['shape'], Name> {
  return Object.fromEntries(names.map((name) => [name, chatCompletionRequestSchema.shape[name]])) as Pick<
    Schema['shape'],
    Name
  >;
}

export type ChatCompletionRequest = z.infer<typeof chatCompletionRequestSchema>;
export type ReasoningEffort = z.infer<typeof effortSchema>;
