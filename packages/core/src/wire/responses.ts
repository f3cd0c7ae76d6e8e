import { z } from 'zod';

import { chatFields } from './chat-request.ts';
import { promptReferenceSchema } from './prompt-reference.ts';
import { routingMembersSchema } from './routing.ts';
import { RESPONSES_SHARED_FIELDS } from './values.ts';

const partSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('input_text'), text: z.string() }),
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('output_text'), text: z.string() }),
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.looseObject({
    type: z.literal('input_image'),
    image_url: z.string().nullish(),
    file_id: z.string().nullish(),
    detail: z.enum(['auto', 'low', 'high', 'original']).nullish(),
  }),
  z.looseObject({
    type: z.literal('input_file'),
    filename: z.string().nullish(),
    file_data: z.string().nullish(),
    file_url: z.string().nullish(),
    file_id: z.string().nullish(),
  }),
  z.looseObject({
    type: z.literal('input_audio'),
    input_audio: z.looseObject({ data: z.string(), format: z.string() }),
  }),
  z.looseObject({ type: z.literal('input_video'), video_url: z.string() }),
]);

const contentSchema = z.union([z.string(), z.array(partSchema)], {
  error: 'must be a string or a list of content parts',
});

const messageItemSchema = z.looseObject({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: contentSchema,
});

const textsSchema = z.array(z.looseObject({ type: z.string(), text: z.string() })).nullish();

const outputSchema = z.looseObject({ call_id: z.string(), output: contentSchema });

/** The items that are translated, by their type. Others are for upstreams of this form. */
export const ITEM_SCHEMAS = {
  message: messageItemSchema,
  reasoning: z.looseObject({
    type: z.literal('reasoning'),
    summary: textsSchema,
    content: textsSchema,
    encrypted_content: z.string().nullish(),
    signature: z.string().nullish(),
    format: z.string().nullish(),
  }),
  function_call: z.looseObject({
    type: z.literal('function_call'),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
    namespace: z.string().nullish(),
  }),
  custom_tool_call: z.looseObject({
    type: z.literal('custom_tool_call'),
    call_id: z.string(),
    name: z.string(),
    input: z.string(),
    namespace: z.string().nullish(),
  }),
  function_call_output: outputSchema.extend({ type: z.literal('function_call_output') }),
  custom_tool_call_output: outputSchema.extend({ type: z.literal('custom_tool_call_output') }),
} as const;

export type ResponsesPart = z.infer<typeof partSchema>;
export type ResponsesContent = z.infer<typeof contentSchema>;
export type MessageItem = z.infer<typeof messageItemSchema>;
export type ReasoningItem = z.infer<(typeof ITEM_SCHEMAS)['reasoning']>;
export type CallItem =
  | z.infer<(typeof ITEM_SCHEMAS)['function_call']>
  | z.infer<(typeof ITEM_SCHEMAS)['custom_tool_call']>;
export type OutputItem = z.infer<typeof outputSchema>;

/** A tool of the caller's own, or a group of them. Others are run by upstream, or have a form that it knows. */
export const toolSchema = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
  format: z.looseObject({ type: z.string(), definition: z.string().optional() }).nullish(),
  tools: z.array(z.looseObject({ type: z.string() })).optional(),
});
export type ResponsesTool = z.infer<typeof toolSchema>;

const toolChoiceSchema = z.union([z.enum(['auto', 'none', 'required']), z.looseObject({ type: z.string() })], {
  error: 'must be "auto", "none", "required" or an object with a type',
});

const formatSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    name: z.string(),
    schema: z.record(z.string(), z.unknown()),
    description: z.string().nullish(),
    strict: z.boolean().nullish(),
  }),
]);

/** The body of `POST /responses` as far as it is translated, without what it shares with chat completions. */
export const responsesRequestSchema = z.looseObject({
  model: z.string().min(1, 'must not be empty').nullish(),
  input: z.union(
    [z.string(), z.array(z.looseObject({ type: z.string().nullish() })).min(1, 'must have at least 1 item')],
    { error: 'must be a text or a list of items' },
  ),
  instructions: z.string().nullish(),
  tools: z.array(toolSchema).nullish(),
  tool_choice: toolChoiceSchema.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  text: z
    .looseObject({
      format: formatSchema.nullish(),
      verbosity: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
    })
    .nullish(),
  reasoning: z.looseObject({}).nullish(),
  include: z.array(z.string()).nullish(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  background: z.literal(false, { error: 'must be false: this gateway runs no responses in the background' }).nullish(),
  previous_response_id: z.string().min(1, 'must not be empty').nullish(),
  conversation: z
    .null({ error: 'is not supported: this gateway does not store conversations; send previous_response_id' })
    .optional(),
});

/** The body of `POST /responses` with all fields that are known. Any other is for upstreams of this form. */
export const documentedResponsesRequestSchema = z.looseObject({
  ...responsesRequestSchema.shape,
  ...chatFields(RESPONSES_SHARED_FIELDS),
  input: responsesRequestSchema.shape.input.optional(),
  prompt: promptReferenceSchema.shape.prompt.nullish(),
  reasoning: chatFields(['reasoning']).reasoning,
  truncation: z
    .enum(['auto', 'disabled'])
    .nullish()
    .describe('Whether upstreams of this form may drop items that do not fit'),
  safety_identifier: z.string().nullish().describe('The user, for upstreams of this form'),
});

export type ResponsesRequest = z.infer<typeof responsesRequestSchema>;

const responsesUsageSchema = z.looseObject({
  input_tokens: z.int(),
  input_tokens_details: z.looseObject({ cached_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.looseObject({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
  /** USD; null when the price is unknown. */
  cost: z.number().nullable().optional(),
});

/** The response of `POST /responses` without `stream`. Items and fields of upstream's own pass as they are. */
export const responseSchema = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable().optional(),
  model: z.string(),
  provider: z.string(),
  status: z.enum(['completed', 'incomplete', 'failed', 'in_progress', 'cancelled', 'queued']),
  output: z.array(z.looseObject({ type: z.string() })),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.looseObject({ reason: z.string() }).nullable(),
  usage: responsesUsageSchema.nullable(),
  temperature: z.number(),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.int(),
  max_tool_calls: z.int().nullable(),
  service_tier: z.string(),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
  /** What the request said, or would have meant by saying nothing. */
  instructions: z.unknown().optional(),
  metadata: z.record(z.string(), z.unknown()).nullable().optional(),
  parallel_tool_calls: z.boolean().optional(),
  tool_choice: z.unknown().optional(),
  tools: z.array(z.looseObject({ type: z.string() })).optional(),
  text: z.looseObject({}).optional(),
  reasoning: z.looseObject({}).nullable().optional(),
  max_output_tokens: z.int().nullable().optional(),
  truncation: z.string().nullable().optional(),
  user: z.string().nullable().optional(),
  prompt: z.looseObject({ id: z.string() }).nullable().optional(),
  prompt_cache_options: z.looseObject({}).nullable().optional(),
  store: z.boolean().optional(),
  background: z.boolean().nullable().optional(),
  previous_response_id: z.string().nullable().optional(),
  ...routingMembersSchema.shape,
});

/** What `include` asks for reasoning by, in a form that can be sent back. */
export const SEALED_REASONING = 'reasoning.encrypted_content';

export const responseQuerySchema = z.object({
  /** `reasoning.encrypted_content`: reasoning in a form that can be sent back. */
  include: z.string().optional(),
  /** The same as OpenAI's clients write it. */
  'include[]': z.string().optional(),
  stream: z.enum(['true', 'false']).optional(),
});

export const deletedResponseSchema = z.object({
  id: z.string(),
  object: z.literal('response'),
  deleted: z.literal(true),
});

export const inputItemQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
  /** The id of an item: the list begins behind it. */
  after: z.string().optional(),
});

export const listedItemSchema = z.looseObject({ type: z.string(), id: z.string() });

export const inputItemListSchema = z.object({
  object: z.literal('list'),
  data: z.array(listedItemSchema),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});

export const responseEventSchema = z
  .object({ event: z.string(), data: z.looseObject({ type: z.string(), sequence_number: z.int() }) })
  .describe('One server-sent event. The last one is response.completed, incomplete or failed, followed by [DONE].');
