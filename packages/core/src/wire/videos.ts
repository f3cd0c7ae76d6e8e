import { z } from 'zod';

import { traceSchema, wholeNumber } from './fields.ts';
import { callTimelineSchema, mediaInputSchema } from './generation.ts';
import { providerPreferencesSchema, routingDecisionSchema } from './routing.ts';
import { ENDED_STATUSES, OPEN_STATUSES } from './statuses.ts';
import { VIDEO_ASPECT_RATIOS, VIDEO_FRAMES, VIDEO_RESOLUTIONS, videoCapabilitiesSchema } from './video-capabilities.ts';

const pollSchema = z.object({
  at_ms: z.int(),
  took_ms: z.int(),
  /** The poll itself failed, which says nothing about the job. */
  has_failed: z.boolean().optional(),
  /** What upstream said; absent in jobs of former versions, and where it said nothing. */
  status: z.enum([...OPEN_STATUSES, ...ENDED_STATUSES]).optional(),
});
export type VideoPoll = z.infer<typeof pollSchema>;

const announcementSchema = z.object({
  at_ms: z.int(),
  took_ms: z.int(),
  /** In a few words, without addresses. */
  result: z.string(),
  has_arrived: z.boolean(),
});
export type VideoAnnouncement = z.infer<typeof announcementSchema>;

/** The timeline of a video job, in milliseconds since its `created_at`. */
const videoTimelineSchema = z.object({
  before_ms: callTimelineSchema.shape.before_ms.optional(),
  /** When each provider was asked, in the order of the generation's `provider_responses`. */
  attempts_ms: z.array(z.int()),
  /** When upstream had taken the job; absent while it has not. */
  accepted_ms: z.int().optional(),
  /** The first 20 and the last 40. */
  polls: z.array(pollSchema),
  /** How many there were. */
  poll_count: z.int(),
  /** Changes of the status as they were seen, after `pending`. */
  statuses: z.array(z.object({ status: z.enum([...OPEN_STATUSES, ...ENDED_STATUSES]), at_ms: z.int() })),
  /** Attempts to deliver the webhook, at most the last 20. */
  announcements: z.array(announcementSchema),
  /** Absent where contents are not stored, and where only one endpoint was there. */
  decision: routingDecisionSchema.optional(),
});
export type VideoTimeline = z.infer<typeof videoTimelineSchema>;

const inputSchema = z.object({
  type: z.enum(['image', 'audio', 'video']),
  /** `first_frame` or `last_frame`; null for a reference. */
  frame: z.string().nullable(),
  /** Its address, or the beginning of its data. */
  origin: z.string(),
});

/** `GET /admin/v1/videos/{jobId}/inputs`. */
export const videoInputsResponseSchema = z.object({ data: z.array(mediaInputSchema) });

/** `GET /admin/v1/videos/{jobId}`. */
export const videoDetailResponseSchema = z.object({
  data: z.object({
    id: z.string(),
    /** Null for a job of a former version. */
    timeline: videoTimelineSchema.nullable(),
    /** Former name of `timeline`. */
    course: videoTimelineSchema.nullable(),
    /** While the job is open, if contents are stored; then it is read with the generation. */
    prompt: z.string().nullable(),
    /** The same. */
    inputs: z.array(inputSchema),
  }),
});
export type VideoDetail = z.infer<typeof videoDetailResponseSchema>['data'];

const MAX_CALLBACK_LENGTH = 2048;

const linkSchema = z.object({ url: z.string().min(1) });

const frameImageSchema = z.object({
  type: z.literal('image_url'),
  image_url: linkSchema,
  frame_type: z.enum(VIDEO_FRAMES),
});

const inputReferenceSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('image_url'), image_url: linkSchema }),
  z.object({ type: z.literal('audio_url'), audio_url: linkSchema }),
  z.object({ type: z.literal('video_url'), video_url: linkSchema }),
]);

/** `POST /videos` (wire.md 15.1). Fields that are not known are tolerated and not forwarded. */
export const videoRequestSchema = z.object({
  model: z.string().min(1),
  /** Optional only for a model that requires nothing but images; that is checked once the model is known. */
  prompt: z.string().min(1).optional(),
  duration: z.int().min(1).nullish(),
  resolution: z.enum(VIDEO_RESOLUTIONS).nullish(),
  aspect_ratio: z.enum(VIDEO_ASPECT_RATIOS).nullish(),
  size: z
    .string()
    .regex(/^[1-9]\d{1,4}x[1-9]\d{1,4}$/, 'must be WIDTHxHEIGHT in pixels, e.g. 1280x720')
    .nullish(),
  frame_images: z.array(frameImageSchema).max(2).nullish(),
  input_references: z.array(inputReferenceSchema).max(32).nullish(),
  generate_audio: z.boolean().nullish(),
  seed: z.int().nullish(),
  callback_url: z.string().max(MAX_CALLBACK_LENGTH).nullish(),
  previous_job_id: z.string().min(1).nullish(),
  creativity: z.int().nullish(),
  upscale_factor: z.number().positive().nullish(),
  provider: providerPreferencesSchema
    .extend({ options: z.record(z.string(), z.record(z.string(), z.unknown())).nullish() })
    .nullish(),
  session_id: z.string().max(256).nullish(),
  user: z.string().nullish(),
  trace: traceSchema.nullish(),
});

export type VideoRequest = z.infer<typeof videoRequestSchema>;

const {
  supported_resolutions,
  supported_aspect_ratios,
  supported_sizes,
  supported_durations,
  supported_frame_images,
  generate_audio,
  seed,
  upscale_factor,
  allowed_passthrough_parameters,
} = videoCapabilitiesSchema.required().shape;

/** A model that makes videos. Unknown values are null: the wire requires every field (wire.md 15.5). */
const videoModelSchema = z.object({
  id: z.string(),
  canonical_slug: z.string(),
  name: z.string(),
  /** Unix seconds. */
  created: z.int(),
  description: z.string(),
  hugging_face_id: z.string().nullable(),
  supported_resolutions: supported_resolutions.nullable(),
  supported_aspect_ratios: supported_aspect_ratios.nullable(),
  supported_sizes: supported_sizes.nullable(),
  supported_durations: supported_durations.nullable(),
  supported_frame_images: supported_frame_images.nullable(),
  generate_audio: generate_audio.nullable(),
  seed: seed.nullable(),
  /** The levels; empty for none. */
  creativity: z.array(z.int()).nullable(),
  upscale_factor: upscale_factor.nullable(),
  /** USD as decimal text, by what is counted: `video`, `video_second`, `video_token`. */
  pricing_skus: z.record(z.string(), z.string()),
  allowed_passthrough_parameters,
});
export type VideoModel = z.infer<typeof videoModelSchema>;

export const videoModelListSchema = z.object({ data: z.array(videoModelSchema) });

const MAX_LIMIT = 1000;
const statusSchema = z.enum([...OPEN_STATUSES, ...ENDED_STATUSES]);

/** The query of `GET /admin/v1/videos`. */
export const videoListQuerySchema = z.object({
  /** Default: all. */
  status: statusSchema.optional(),
  limit: wholeNumber(1, MAX_LIMIT).default(100),
});

const videoRowSchema = z.object({
  id: z.string(),
  status: statusSchema,
  model: z.string(),
  provider_name: z.string(),
  key_hash: z.string(),
  generation_id: z.string(),
  created_at: z.string(),
  /** Null while it is open. */
  ended_at: z.string().nullable(),
  /** Seconds; null for a value that the request did not have, in the next two as well. */
  duration: z.number().nullable(),
  size: z.string().nullable(),
  resolution: z.string().nullable(),
  aspect_ratio: z.string().nullable(),
  /** How many there are to be fetched. */
  videos: z.int(),
  /** USD; null while it is open, and when it is not known. */
  cost: z.number().nullable(),
  error: z.string().nullable(),
});
export type VideoRow = z.infer<typeof videoRowSchema>;

export const videoListSchema = z.object({ data: z.array(videoRowSchema), total_count: z.int() });

const stateSchema = z.enum(['waiting', 'delivered', 'failed']);

/** The query of `GET /admin/v1/webhooks/deliveries`. */
export const webhookDeliveriesQuerySchema = z.object({
  /** Default: all. `failed`: no further attempts are made. */
  state: stateSchema.optional(),
  limit: wholeNumber(1, MAX_LIMIT).default(100),
});

/** An announcement as management sees it. */
const webhookDeliverySchema = z.object({
  job_id: z.string(),
  event: z.string(),
  url: z.string(),
  state: stateSchema,
  attempts: z.int(),
  /** In a few words, without addresses. */
  last_result: z.string().nullable(),
  /** Null when there will be none. */
  next_attempt_at: z.string().nullable(),
  created_at: z.string(),
});
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

export const webhookDeliveryResponseSchema = z.object({ data: webhookDeliverySchema });
export const webhookDeliveryListSchema = z.object({ data: z.array(webhookDeliverySchema), total_count: z.int() });

/** A video job as `POST /videos` and `GET /videos/{jobId}` show it (wire.md 15.1). */
export const videoResponseSchema = z.object({
  id: z.string(),
  /** Path without the host. */
  polling_url: z.string(),
  status: z.enum([...OPEN_STATUSES, ...ENDED_STATUSES]),
  /** Absent while the job is open, as are the others below: clients take null for a broken response. */
  generation_id: z.string().optional(),
  /** Why there is no video. */
  error: z.string().optional(),
  /** Addresses of the videos, for holders of the key. */
  unsigned_urls: z.array(z.string()).optional(),
  /** The cost in USD is null when it is not known. Absent only for clients that take no null. */
  usage: z.object({ cost: z.number().nullable().optional(), is_byok: z.boolean() }).optional(),
});
export type VideoResponse = z.infer<typeof videoResponseSchema>;
