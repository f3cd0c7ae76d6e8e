import { z } from 'zod';

import { reasoningDetailSchema, toolCallSchema } from './chat-message.ts';
import { routingMembersSchema } from './routing-metadata.ts';

/** The reason for the end of a completion, one of the wire's five. */
export const finishReasonSchema = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'error']);
export type FinishReason = z.infer<typeof finishReasonSchema>;

/** Token counts and cost. A count that upstream did not report is absent, never zero. */
export const usageSchema = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  /** USD; null when the price is unknown. Absent only for clients that take no null. */
  cost: z.number().nullable().optional(),
  is_byok: z.boolean().optional(),
  /** True when upstream reported no usage and the counts are our own estimate. */
  estimated: z.boolean().optional(),
  prompt_tokens_details: z
    .object({
      cached_tokens: z.int(),
      cache_write_tokens: z.int(),
      audio_tokens: z.int(),
      video_tokens: z.int(),
      image_tokens: z.int(),
      /** Those of `cached_tokens` that are audio. */
      cached_audio_tokens: z.int(),
      /** The part of `cache_write_tokens` that is cached for an hour. */
      cache_write_1h_tokens: z.int(),
    })
    .partial()
    .optional(),
  completion_tokens_details: z
    .object({
      reasoning_tokens: z.int(),
      audio_tokens: z.int(),
      image_tokens: z.int(),
      accepted_prediction_tokens: z.int(),
      rejected_prediction_tokens: z.int(),
    })
    .partial()
    .optional(),
  server_tool_use_details: z
    .object({
      web_search_requests: z.int(),
      /** Calls of server tools that the model made, and how many of them were run. */
      tool_calls_requested: z.int().optional(),
      tool_calls_executed: z.int().optional(),
    })
    .optional(),
  cost_details: z
    .object({
      upstream_inference_cost: z.number().nullable(),
      upstream_inference_prompt_cost: z.number(),
      upstream_inference_completions_cost: z.number(),
    })
    .optional(),
});
export type Usage = z.infer<typeof usageSchema>;

/** The addition of one chunk to one choice. An unstreamed completion is one delta with everything. */
const chatDeltaSchema = z.object({
  role: z.literal('assistant').exactOptional(),
  content: z.string().nullable().exactOptional(),
  refusal: z.string().nullable().exactOptional(),
  reasoning: z.string().nullable().exactOptional(),
  reasoning_details: z.array(reasoningDetailSchema).exactOptional(),
  /** Pieces of tool calls. `id` and the name come once, with the first piece; arguments concatenate. */
  tool_calls: z
    .array(
      z.object({
        index: z.int(),
        id: z.string().exactOptional(),
        type: z.literal('function').exactOptional(),
        function: z.object({ name: z.string().exactOptional(), arguments: z.string() }),
      }),
    )
    .exactOptional(),
  images: z.array(z.unknown()).exactOptional(),
  audio: z.unknown().exactOptional(),
  annotations: z.array(z.unknown()).exactOptional(),
});
export type ChatDelta = z.infer<typeof chatDeltaSchema>;
export type ToolCallDelta = NonNullable<ChatDelta['tool_calls']>[number];

const chatChunkChoiceSchema = z.object({
  index: z.int(),
  delta: chatDeltaSchema,
  finish_reason: finishReasonSchema.nullable(),
  native_finish_reason: z.string().nullable(),
  logprobs: z.unknown().exactOptional(),
});
export type ChatChunkChoice = z.infer<typeof chatChunkChoiceSchema>;

/**
 * One decoded piece of a completion in the gateway's own format, as providers yield it. The gateway adds `id`,
 * `created`, `model` and `provider`; this type contains only the facts from upstream.
 */
export interface ChatChunk {
  choices: ChatChunkChoice[];
  usage?: Usage;
  /** USD as upstream itself charges; wins over catalog prices. */
  upstreamCostUsd?: number;
  upstreamId?: string;
  systemFingerprint?: string;
  serviceTier?: string;
}

const errorSchema = z.object({
  code: z.int(),
  message: z.string(),
  metadata: z.looseObject({ error_type: z.string() }).optional(),
});

/** The response of `POST /chat/completions` without `stream`. */
export const chatCompletionResultSchema = z.object({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  provider: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      finish_reason: finishReasonSchema.nullable(),
      native_finish_reason: z.string().nullable(),
      logprobs: z.unknown().nullable(),
      message: z.looseObject({
        role: z.literal('assistant'),
        content: z.string().nullable(),
        refusal: z.string().nullable(),
        reasoning: z.string().nullable(),
        reasoning_details: z.array(reasoningDetailSchema).optional(),
        tool_calls: z.array(toolCallSchema).optional(),
      }),
      error: errorSchema.optional(),
    }),
  ),
  system_fingerprint: z.string().nullable(),
  service_tier: z.string().nullable().optional(),
  usage: usageSchema.optional(),
  ...routingMembersSchema.shape,
});
export type ChatCompletionResult = z.infer<typeof chatCompletionResultSchema>;

/** A chunk of `POST /chat/completions` with `stream`, as it is sent (wire.md 7). */
const chatCompletionChunkSchema = z.object({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.string(),
  provider: z.string(),
  system_fingerprint: z.string().optional(),
  service_tier: z.string().optional(),
  /** Empty where the chunk carries the usage, or a body that was sent upstream. */
  choices: z.array(
    chatChunkChoiceSchema.extend({
      delta: chatDeltaSchema.required({ role: true, content: true }),
      logprobs: z.unknown(),
    }),
  ),
  usage: usageSchema.optional(),
  /** Of a stream that has failed after it had begun. */
  error: errorSchema.optional(),
  debug: z.object({ echo_upstream_body: z.unknown() }).optional(),
  ...routingMembersSchema.shape,
});
export type ChatCompletionChunk = z.infer<typeof chatCompletionChunkSchema>;

export const chatCompletionEventSchema = z
  .object({ data: chatCompletionChunkSchema })
  .describe('One server-sent event. The data of the last one is [DONE].');
