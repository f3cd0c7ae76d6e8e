import { z } from 'zod';

import { legacyField } from './legacy-field.ts';

/** A breakpoint for providers that cache prompts explicitly (wire.md 6.7). */
export const cacheControlSchema = z.object({
  type: z.literal('ephemeral'),
  ttl: z.enum(['5m', '1h']).nullish(),
});

export const textPartSchema = z.object({
  type: z.literal('text'),
  text: z.string(),
  cache_control: cacheControlSchema.nullish(),
  prompt_cache_breakpoint: z.looseObject({ mode: z.string() }).nullish(),
});

const contentPartSchema = z.discriminatedUnion('type', [
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

export const chatMessageSchema = z.discriminatedUnion('role', [
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
