import { z } from 'zod';

import { API_TYPES } from './call-kinds.ts';
import { toolUseSchema } from './chat-chunk.ts';
import { toolCallSchema } from './chat-request.ts';
import { DATA_REGIONS } from './fields.ts';
import { AGAIN_REASONS, pipelineStageSchema, routingDecisionSchema } from './routing.ts';

const nullableInt = z.int().nullable();
const nullableString = z.string().nullable();

/** One provider's part in a generation: what `provider_responses` lists, best read as the attempts in order. */
const providerResponseSchema = z.object({
  endpoint_id: z.string().optional(),
  id: z.string().optional(),
  is_byok: z.boolean().optional(),
  /** Milliseconds from dispatch to the first chunk or the failure. */
  latency: z.number().optional(),
  model_permaslug: z.string().optional(),
  provider_name: z.string().optional(),
  /** Upstream's HTTP status; null when there was no response. */
  status: nullableInt,
  /**
   * The gateway's own field: why the attempt failed, or broke off after it had begun; absent when it did neither. The
   * message is left out where contents are not stored, because upstream may quote the prompt in it.
   */
  error: z.object({ code: z.int(), error_type: z.string(), message: z.string().optional() }).optional(),
  /** The gateway's own field: the characters of text after which it broke off, and the next was asked to continue. */
  broke_off_after: z.int().optional(),
  /**
   * The gateway's own field: the endpoint was asked once more, after the wait that it named, at once after a failure, or
   * with another key after it refused one.
   */
  again: z.enum(AGAIN_REASONS).optional(),
  /** The gateway's own field: the name of the key that it was asked with; absent where the provider has one alone. */
  key: z.string().optional(),
});

const FEEDBACK_CATEGORIES = [
  'latency',
  'incoherence',
  'incorrect_response',
  'formatting',
  'billing',
  'api_error',
  'other',
] as const;

const feedbackSchema = z.object({
  category: z.enum(FEEDBACK_CATEGORIES),
  comment: nullableString,
  created_at: z.string(),
});

const RATINGS = ['good', 'bad'] as const;

const reviewSchema = z.object({
  /** Null for none. */
  rating: z.enum(RATINGS).nullable(),
  note: nullableString,
  updated_at: z.string(),
});

/** The body of `PUT /admin/v1/generations/{id}/review`. Closed. Without a rating and a note, there is no review. */
export const reviewRequestSchema = z.strictObject({
  rating: z.enum(RATINGS, `must be one of ${RATINGS.join(', ')}, or null`).nullable(),
  note: z.string().trim().max(4000).nullable(),
});

/** The body of `POST /generation/feedback`. Closed. */
export const feedbackRequestSchema = z.strictObject({
  generation_id: z.string().min(1).max(200),
  category: feedbackSchema.shape.category,
  comment: z.string().max(4000).optional(),
});

/** The record of one call, as `GET /generation` returns it (wire.md 13.1). Null means not known. */
export const generationSchema = z.object({
  id: z.string(),
  request_id: nullableString,
  upstream_id: nullableString,
  session_id: nullableString,
  created_at: z.string(),
  model: z.string(),
  router: nullableString,
  provider_name: nullableString,
  api_type: z.enum(API_TYPES),
  origin: z.string(),
  http_referer: nullableString,
  app_id: nullableInt,
  user_agent: nullableString,
  external_user: nullableString,
  preset_id: nullableString,
  workspace_id: nullableString,
  /** The region of the host in the request, in the words of the public API. */
  data_region: z.enum(DATA_REGIONS),
  is_byok: z.boolean(),
  streamed: z.boolean().nullable(),
  cancelled: z.boolean().nullable(),
  /** The gateway's own field: who ended the call, where it was not its client. Absent otherwise. */
  cancelled_by: z.literal('operator').optional(),
  finish_reason: nullableString,
  native_finish_reason: nullableString,
  service_tier: nullableString,
  tokens_prompt: nullableInt,
  tokens_completion: nullableInt,
  native_tokens_prompt: nullableInt,
  native_tokens_completion: nullableInt,
  native_tokens_reasoning: nullableInt,
  native_tokens_cached: nullableInt,
  native_tokens_completion_images: nullableInt,
  num_media_prompt: nullableInt,
  num_media_completion: nullableInt,
  num_input_audio_prompt: nullableInt,
  num_search_results: nullableInt,
  num_fetches: nullableInt,
  web_search_engine: nullableString,
  /** USD. The wire insists on a number: 0 with `cost_known: false` when the price is unknown. */
  total_cost: z.number(),
  usage: z.number(),
  /** The gateway's own field: the fee in `total_cost` for a call with the caller's own provider key; absent without one. */
  byok_fee: z.number().optional(),
  upstream_inference_cost: z.number().nullable(),
  cache_discount: z.number().nullable(),
  /** Milliseconds to the first chunk. */
  latency: z.number().nullable(),
  moderation_latency: z.number().nullable(),
  /** Milliseconds from upstream dispatch to the end. */
  generation_time: z.number().nullable(),
  response_cache_source_id: nullableString,
  provider_responses: z.array(providerResponseSchema).nullable(),
  /** The gateway's own field: false when a price was missing, so that `total_cost` is meaningless. */
  cost_known: z.boolean(),
  /** The gateway's own field: the effects of guardrails, as in the routing metadata; absent without any. */
  pipeline: z.array(pipelineStageSchema).optional(),
  /** The gateway's own field: the guardrails that kept the call from some of its endpoints; absent without any. */
  narrowed_by: z.array(z.string()).optional(),
  /**
   * The gateway's own fields: the rule of the account that chose the model, and the model that the caller had asked for.
   * Absent without a rule, or a model.
   */
  routing_rule: z.string().optional(),
  requested_model: z.string().optional(),
  /** The gateway's own field: the name of the key that served the call; absent where its provider has one alone. */
  provider_key: z.string().optional(),
  /** The gateway's own fields: the stored prompt that the request named, and its version; absent without one. */
  prompt_id: z.string().optional(),
  prompt_version: z.int().optional(),
  /** The gateway's own fields: slug and version of the preset whose id is `preset_id`; absent without one. */
  preset_slug: z.string().optional(),
  preset_version: z.int().optional(),
  /** The gateway's own field: the request's `trace`; see docs/destinations.md. */
  trace: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  /** The gateway's own field: the same region by its name in the configuration; absent for the global one. */
  called_region: z.string().optional(),
  /** The gateway's own fields, where upstream is a gateway that says so: who served the call, and with whose key. */
  upstream_provider_name: z.string().optional(),
  upstream_is_byok: z.boolean().optional(),
  /** The gateway's own field: the tools that upstream itself ran for the call. */
  server_tool_use_details: toolUseSchema.optional(),
  /** The gateway's own field: the feedback of callers. */
  feedback: z.array(feedbackSchema).optional(),
  /** The gateway's own field: what its users think of the response. Only management keys see it. */
  review: reviewSchema.optional(),
  /** The gateway's own field: true when the response was deleted at `/responses/{id}`, where it is not found any more. */
  response_deleted: z.boolean().optional(),
  /**
   * The gateway's own field: true when the gateway's process stopped during the call. Tokens and cost are
   * estimates up to then. Absent otherwise.
   */
  interrupted: z.boolean().optional(),
  /** Ours: true when the token counts are estimates because upstream reported none. */
  usage_estimated: z.boolean(),
});
export const generationResponseSchema = z.object({ data: generationSchema });
export const reviewResponseSchema = z.object({ data: reviewSchema.nullable() });
export type Generation = z.infer<typeof generationSchema>;
export type ProviderResponse = z.infer<typeof providerResponseSchema>;

/** What went in with the prompt of a video. */
export const mediaInputSchema = z.object({
  type: z.enum(['image', 'audio', 'video']),
  /** `first_frame` or `last_frame`; null for a reference. */
  frame: nullableString,
  /** Its address, or itself as `data:`. */
  url: z.string(),
});
export type MediaInput = z.infer<typeof mediaInputSchema>;

/** The content, as `GET /generation/content` returns it. `input` has one of its two fields, never both. */
export const generationContentSchema = z.object({
  input: z.union([
    z.object({ messages: z.array(z.unknown()) }),
    z.object({
      prompt: z.string(),
      /** The gateway's own field: what went in with it, where there was anything. */
      media: z.array(mediaInputSchema).optional(),
    }),
  ]),
  output: z.object({
    completion: nullableString,
    reasoning: nullableString,
    /** The gateway's own field: the tool calls of the completion, where there were any. */
    tool_calls: z.array(toolCallSchema).optional(),
    /** The gateway's own field: images and sounds that were made, where they are small enough to be stored. */
    media: z.array(mediaInputSchema).optional(),
    /** The gateway's own field: the parts of a transcript, in seconds. */
    segments: z.array(z.object({ start: z.number(), end: z.number(), text: z.string() })).optional(),
    /** The gateway's own fields: sources of the completion, where it has any. */
    annotations: z.array(z.unknown()).optional(),
    citations: z.array(z.unknown()).optional(),
    /** The gateway's own fields: what the provider says about the call beside the completion, where it says anything. */
    warnings: z.array(z.string()).optional(),
    provider_metadata: z.record(z.string(), z.unknown()).optional(),
    /** The gateway's own field: the tools that the gateway ran before the completion, in order. */
    server_tool_calls: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          arguments: z.string(),
          result: z.string(),
          status: z.enum(['completed', 'failed']),
        }),
      )
      .optional(),
  }),
  error: z
    .object({
      message: nullableString,
      status: nullableInt,
      provider_name: nullableString,
      raw: nullableString,
      previous_errors: z.array(
        z.object({
          code: z.int(),
          message: z.string(),
          provider_name: z.string().optional(),
          raw: z.string().optional(),
        }),
      ),
    })
    .nullable(),
});
export const generationContentResponseSchema = z.object({ data: generationContentSchema });
export type GenerationContent = z.infer<typeof generationContentSchema>;

const integers = z.array(z.int());

/**
 * The times at which the text of a streamed completion arrived: member n of each list belongs to arrival n. The
 * gateway's own.
 */
const streamTimelineSchema = z.object({
  /** Text that came within this many milliseconds of an arrival's beginning belongs to it. */
  interval_ms: z.int(),
  /** Milliseconds since the arrival before; for the first, since the call began. */
  gaps_ms: integers,
  /** Length of `completion` in each arrival, in UTF-16 code units. */
  text: integers,
  /** Length of `reasoning` in each arrival; absent for a completion without any. */
  reasoning: integers.optional(),
});
export type StreamTimeline = z.infer<typeof streamTimelineSchema>;

/** Null for an unstreamed completion, or one from before this was recorded. */
export const streamTimelineResponseSchema = z.object({ data: streamTimelineSchema.nullable() });

const timelineStepSchema = z.object({
  /** `stage`: something around the completion; `tool`: a tool that the gateway ran; `budget`: money was held. */
  kind: z.enum(['budget', 'stage', 'tool']),
  name: z.string(),
  /** Milliseconds since `created_at` of the record. */
  at_ms: z.int(),
  took_ms: z.int(),
  has_failed: z.boolean().optional(),
});
export type TimelineStep = z.infer<typeof timelineStepSchema>;

/** A part of the cost: so many units at a price each. */
const storedChargeSchema = z.object({
  /** The name of its price in `pricing` of an endpoint. */
  unit: z.string(),
  /** Seconds come with their parts. */
  count: z.number(),
  /** USD a unit, as decimal text: the price at the time. */
  price: z.string(),
});
export type StoredCharge = z.infer<typeof storedChargeSchema>;

/**
 * The timeline of a call, in addition to its record. The record begins (`created_at`) when the call has been
 * admitted. The gateway's own.
 */
export const callTimelineSchema = z.object({
  /** Milliseconds of the steps before that, one after the other. */
  before_ms: z.object({
    /** Reading and checking the request. */
    request: z.int(),
    /** Looking up the caller's rules, input filters and moderation. */
    guardrails: z.int(),
    routing: z.int(),
    rate_limits: z.int(),
  }),
  /** When each of `provider_responses` was called, in milliseconds since `created_at`. */
  attempts_ms: z.array(z.int()),
  /** In order of their beginning; absent without any. */
  steps: z.array(timelineStepSchema).optional(),
  /** The parts that the cost is the sum of; absent where it is not known, is zero, or upstream reported it. */
  charges: z.array(storedChargeSchema).optional(),
  /** Absent where only one endpoint was there. */
  decision: routingDecisionSchema.optional(),
});
export type CallTimeline = z.infer<typeof callTimelineSchema>;

/** A request that brought a generation to a destination, or was to. */
const arrivalSchema = z.object({
  destination_id: z.string(),
  /** When it began. */
  sent_at: z.string(),
  took_ms: z.int(),
  has_arrived: z.boolean(),
  /** In a few words, without addresses. */
  result: z.string(),
});
export type DestinationArrival = z.infer<typeof arrivalSchema>;

const callTimelineReportSchema = z.object({
  /** Null when no content is stored, or it is from before this was recorded, or of another kind of call. */
  call: callTimelineSchema.nullable(),
  /** Null for an unstreamed completion, and as above. */
  stream: streamTimelineSchema.nullable(),
  /** Oldest first; requests that are still to be sent are listed with the destinations. */
  arrivals: z.array(arrivalSchema),
});
export type CallTimelineReport = z.infer<typeof callTimelineReportSchema>;

export const callTimelineResponseSchema = z.object({ data: callTimelineReportSchema });

/** The same under its former names. */
export const callCourseResponseSchema = z.object({
  data: z.object({
    course: callTimelineReportSchema.shape.call,
    timeline: callTimelineReportSchema.shape.stream,
    arrivals: callTimelineReportSchema.shape.arrivals,
  }),
});
