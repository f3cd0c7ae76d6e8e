import { z } from 'zod';

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

const notKept = (problem: string): z.ZodType<null | undefined> => z.null({ error: problem }).optional();

/**
 * The body of `POST /responses` as far as it is translated. Fields of chat completions (`provider`, `plugins`,
 * `temperature`) have their names and forms there; any other is for upstreams of this form.
 */
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
  store: z.literal(false, { error: 'must be false: responses are not kept here, send the whole input' }).nullish(),
  background: z.literal(false, { error: 'must be false: responses are not kept here to be fetched later' }).nullish(),
  previous_response_id: notKept('is not supported: responses are not kept here, send the whole input'),
  conversation: notKept('is not supported: conversations are not kept here, send the whole input'),
});

export type ResponsesRequest = z.infer<typeof responsesRequestSchema>;
