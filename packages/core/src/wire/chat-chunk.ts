import { z } from 'zod';

import type { GatewayError } from '../foundation/errors.ts';
import { checkWith, isRecord } from '../foundation/parse.ts';
import { type ReasoningDetail, reasoningDetailSchema, toolCallSchema } from './chat-request.ts';
import type { NativePiece } from './native-request.ts';
import { routingMembersSchema } from './routing.ts';

/** The reason for the end of a completion, one of the wire's five. */
export const finishReasonSchema = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'error']);
export type FinishReason = z.infer<typeof finishReasonSchema>;

/** The use of tools that a gateway or a provider runs. */
export const toolUseSchema = z.object({
  web_search_requests: z.int(),
  /** Calls of server tools that the model made, and how many of them were run. */
  tool_calls_requested: z.int().optional(),
  tool_calls_executed: z.int().optional(),
});

/** What upstream charges, in USD, and how that is split. */
export const costDetailsSchema = z.object({
  upstream_inference_cost: z.number().nullable(),
  upstream_inference_prompt_cost: z.number(),
  upstream_inference_completions_cost: z.number(),
});

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
      /** The part of `cached_tokens` that is audio. */
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
  /** The older form of `server_tool_use_details`. */
  server_tool_use: z.object({ web_search_requests: z.int() }).optional(),
  server_tool_use_details: toolUseSchema.optional(),
  cost_details: costDetailsSchema.optional(),
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
  /** Upstream's own split of that, as far as it names one. */
  upstreamCosts?: UpstreamCosts;
  /** Absent from all but a few chunks. */
  upstream?: UpstreamFacts;
  upstreamId?: string;
  systemFingerprint?: string;
  serviceTier?: string;
  /** What the chunk was read from, where the call keeps its native form: given back untouched (docs/decisions/0038). */
  native?: readonly NativePiece[];
}

/** Costs of inference in USD, as upstream names them. */
export interface UpstreamCosts {
  /** All of it; of a call with upstream's own keys, what their owner pays beside upstream's charge. */
  readonly totalUsd?: number | undefined;
  readonly promptUsd?: number | undefined;
  readonly completionUsd?: number | undefined;
}

/** Facts about a completion that only some upstreams tell. */
export interface UpstreamFacts {
  /** Display name of the provider behind an upstream that is a gateway. */
  readonly provider?: string | undefined;
  /** Sources that upstream lists beside the message. */
  readonly citations?: readonly unknown[] | undefined;
  /** The reason for the finish reason `error`, in the words of upstream. */
  readonly failure?: GatewayError | undefined;
  /** What upstream, or the package that calls it, did otherwise than it was asked, in words. For the record alone. */
  readonly warnings?: readonly string[] | undefined;
  /** Facts in the provider's own words, by its name. For the record alone. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
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
  /** Sources that upstream lists beside the message. */
  citations: z.array(z.unknown()).optional(),
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
  /** Sources that upstream lists beside the message; in the last chunk. */
  citations: z.array(z.unknown()).optional(),
  usage: usageSchema.optional(),
  /** Present where a stream has failed after it had begun. */
  error: errorSchema.optional(),
  debug: z.object({ echo_upstream_body: z.unknown() }).optional(),
  ...routingMembersSchema.shape,
});
export type ChatCompletionChunk = z.infer<typeof chatCompletionChunkSchema>;

export const chatCompletionEventSchema = z
  .object({ data: chatCompletionChunkSchema })
  .describe('One server-sent event. The data of the last one is [DONE].');

/** No provider's own text begins so: theirs are base64. */
const PREFIX = 'reasoning-details:';

/**
 * What a provider needs to read its reasoning back, as the one text that clients of another form send back unchanged: a
 * signature, or encrypted content.
 */
export const sealReasoning = (details: readonly ReasoningDetail[]): string => PREFIX + JSON.stringify(details);

/** The details in a text that `sealReasoning` made; null for any other. What is damaged holds none. */
export function openReasoning(text: string): ReasoningDetail[] | null {
  if (!text.startsWith(PREFIX)) return null;
  try {
    const value: unknown = JSON.parse(text.slice(PREFIX.length));
    if (!Array.isArray(value)) return [];
    return value.filter(isRecord).flatMap((one) => {
      const read = checkWith(reasoningDetailSchema, one);
      return read.success ? [read.data] : [];
    });
  } catch {
    return [];
  }
}
