import { z } from 'zod';

import { chatFields } from './chat-request.ts';
import { routingMembersSchema } from './routing.ts';
import { MESSAGES_SHARED_FIELDS } from './values.ts';

/** A mark up to which a prompt is cached. Further fields of it are for upstreams of this form alone. */
const cacheControlSchema = z.looseObject({
  type: z.literal('ephemeral'),
  ttl: z.enum(['5m', '1h']).nullish(),
});

const marked = { cache_control: cacheControlSchema.nullish() };

const textBlockSchema = z.looseObject({ type: z.literal('text'), text: z.string(), ...marked });

const imageSourceSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
  z.looseObject({ type: z.literal('url'), url: z.string() }),
  z.looseObject({ type: z.literal('file'), file_id: z.string() }),
]);

const imageBlockSchema = z.looseObject({ type: z.literal('image'), source: imageSourceSchema, ...marked });

const documentBlockSchema = z.looseObject({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
    z.looseObject({ type: z.literal('text'), data: z.string() }),
    z.looseObject({
      type: z.literal('content'),
      content: z.union([z.string(), z.array(z.union([textBlockSchema, imageBlockSchema]))]),
    }),
    z.looseObject({ type: z.literal('url'), url: z.string() }),
    z.looseObject({ type: z.literal('file'), file_id: z.string() }),
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
  ...marked,
});

const searchResultBlockSchema = z.looseObject({
  type: z.literal('search_result'),
  source: z.string(),
  title: z.string(),
  content: z.array(textBlockSchema),
  ...marked,
});

/** Blocks that only upstreams of this form know pass as they are. */
const KNOWN_BLOCKS: ReadonlySet<string> = new Set([
  'text',
  'image',
  'document',
  'search_result',
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
]);

const otherBlockSchema = z
  .looseObject({ type: z.string() })
  .refine(({ type }) => !KNOWN_BLOCKS.has(type), { abort: true });

const toolResultBlockSchema = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z
    .union([
      z.string(),
      z.array(
        z.union([
          z.discriminatedUnion('type', [
            textBlockSchema,
            imageBlockSchema,
            documentBlockSchema,
            searchResultBlockSchema,
          ]),
          otherBlockSchema,
        ]),
      ),
    ])
    .nullish(),
  is_error: z.boolean().nullish(),
  ...marked,
});

const blockSchema = z.union([
  z.discriminatedUnion('type', [
    textBlockSchema,
    imageBlockSchema,
    documentBlockSchema,
    searchResultBlockSchema,
    toolResultBlockSchema,
    z.looseObject({
      type: z.literal('tool_use'),
      id: z.string(),
      name: z.string(),
      input: z.record(z.string(), z.unknown()).nullish(),
      ...marked,
    }),
    z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().nullish() }),
    z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  ]),
  otherBlockSchema,
]);

const contentSchema = z.union([z.string(), z.array(blockSchema)], {
  error: 'must be a string or a list of content blocks',
});

const promptMessageSchema = z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content: contentSchema });

const toolSchema = z.looseObject({
  /** Absent or `custom` for a tool of the caller's own; others are run by upstream, or have a form that it knows. */
  type: z.string().nullish(),
  name: z.string().optional(),
  description: z.string().nullish(),
  /** A JSON Schema; passed on unchanged. */
  input_schema: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
  ...marked,
});

const toolChoiceSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('auto'), disable_parallel_tool_use: z.boolean().nullish() }),
  z.looseObject({ type: z.literal('any'), disable_parallel_tool_use: z.boolean().nullish() }),
  z.looseObject({ type: z.literal('none') }),
  z.looseObject({ type: z.literal('tool'), name: z.string(), disable_parallel_tool_use: z.boolean().nullish() }),
]);

const thinkingSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1), display: z.string().nullish() }),
  z.looseObject({ type: z.literal('adaptive'), display: z.string().nullish() }),
  z.looseObject({ type: z.literal('disabled') }),
]);

const outputConfigSchema = z.looseObject({
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  format: z.looseObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) }).nullish(),
});

const systemSchema = z.union([z.string(), z.array(textBlockSchema)], {
  error: 'must be a string or a list of text blocks',
});

/** What a prompt consists of, in both operations of this form. */
const promptFields = {
  messages: z.array(promptMessageSchema).min(1, 'must have at least 1 message'),
  system: systemSchema.nullish(),
  tools: z.array(toolSchema).nullish(),
  tool_choice: toolChoiceSchema.nullish(),
  thinking: thinkingSchema.nullish(),
  output_config: outputConfigSchema.nullish(),
};

/** The body of `POST /messages` as far as it is translated, without what it shares with chat completions. */
export const messagesRequestSchema = z.looseObject({
  ...promptFields,
  model: z.string().min(1, 'must not be empty').nullish(),
  max_tokens: z.int().min(1).nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
  cache_control: cacheControlSchema.nullish(),
  fallbacks: z
    .array(z.looseObject({ model: z.string().min(1) }))
    .max(3, 'must have 3 items or fewer')
    .nullish(),
  service_tier: z.string().nullish(),
  speed: z.string().nullish(),
});

/** The body of `POST /messages` with all fields that are known. Any other is for upstreams of this form. */
export const documentedMessagesRequestSchema = z.looseObject({
  ...messagesRequestSchema.shape,
  ...chatFields(MESSAGES_SHARED_FIELDS),
  context_management: z
    .looseObject({ edits: z.array(z.looseObject({ type: z.string() })).nullish() })
    .nullish()
    .describe('How a long context is shortened; upstreams of this form do it, others get the whole context'),
});

/** The body of `POST /messages/count_tokens`. */
export const countTokensRequestSchema = z.looseObject({
  ...promptFields,
  model: z.string().min(1, 'must not be empty'),
});

/** `estimated`: upstream has no counter, or it did not respond. */
export const tokenCountSchema = z.object({ input_tokens: z.int(), estimated: z.boolean().optional() });

export type MessagesRequest = z.infer<typeof messagesRequestSchema>;
export type MessagesMessage = z.infer<typeof promptMessageSchema>;
type MessagesBlock = z.infer<typeof blockSchema>;
export type MessagesTool = z.infer<typeof toolSchema>;
export type ToolResultBlock = z.infer<typeof toolResultBlockSchema>;
export type KnownBlock = Extract<
  MessagesBlock,
  {
    type:
      | 'text'
      | 'image'
      | 'document'
      | 'search_result'
      | 'tool_use'
      | 'tool_result'
      | 'thinking'
      | 'redacted_thinking';
  }
>;

/** Counts in this form: tokens read from and written to the cache are no part of the input. */
const messageUsageSchema = z.looseObject({
  input_tokens: z.int().nullable(),
  output_tokens: z.int(),
  cache_creation_input_tokens: z.int().nullable(),
  cache_read_input_tokens: z.int().nullable(),
  /** USD; null when the price is unknown. */
  cost: z.number().nullable().optional(),
});

/** The response of `POST /messages` without `stream`. Blocks and fields of upstream's own pass as they are. */
export const messageSchema = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  provider: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullable(),
  stop_sequence: z.string().nullable(),
  stop_details: z.unknown().nullable(),
  container: z.unknown().nullable(),
  /** What upstream has shortened, where it was asked to. */
  context_management: z.unknown().optional(),
  usage: messageUsageSchema,
  ...routingMembersSchema.shape,
});

export const messageEventSchema = z
  .object({ event: z.string(), data: z.looseObject({ type: z.string() }) })
  .describe('One server-sent event. The last one is message_stop, or error.');
