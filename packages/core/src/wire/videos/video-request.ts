import { z } from 'zod';

import { providerPreferencesSchema } from '../chat/provider-preferences.ts';
import { traceSchema } from '../trace.ts';

const MAX_CALLBACK_LENGTH = 2048;

export const VIDEO_RESOLUTIONS = ['360p', '480p', '720p', '768p', '1080p', '1K', '2K', '4K'] as const;
export const VIDEO_ASPECT_RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'] as const;
export const VIDEO_FRAMES = ['first_frame', 'last_frame'] as const;

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
export type VideoResolution = (typeof VIDEO_RESOLUTIONS)[number];
export type VideoAspectRatio = (typeof VIDEO_ASPECT_RATIOS)[number];
