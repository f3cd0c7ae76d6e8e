import { z } from 'zod';

import { videoCapabilitiesSchema } from '../models/video-capabilities.ts';

const {
  supported_resolutions,
  supported_aspect_ratios,
  supported_sizes,
  supported_durations,
  supported_frame_images,
  generate_audio,
  seed,
  creativity,
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
  creativity: creativity.nullable(),
  upscale_factor: upscale_factor.nullable(),
  /** USD as decimal text, by what is counted: `video`, `video_second`, `video_token`. */
  pricing_skus: z.record(z.string(), z.string()),
  allowed_passthrough_parameters,
});
export type VideoModel = z.infer<typeof videoModelSchema>;

export const videoModelListSchema = z.object({ data: z.array(videoModelSchema) });
