import { z } from 'zod';

export const VIDEO_RESOLUTIONS = ['360p', '480p', '720p', '768p', '1080p', '1K', '2K', '4K'] as const;
export const VIDEO_ASPECT_RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'] as const;
export const VIDEO_FRAMES = ['first_frame', 'last_frame'] as const;
export type VideoResolution = (typeof VIDEO_RESOLUTIONS)[number];
export type VideoAspectRatio = (typeof VIDEO_ASPECT_RATIOS)[number];

/** The capabilities of a video model. Absent ones are unknown, and not checked. */
export const videoCapabilitiesSchema = z
  .strictObject({
    supported_resolutions: z.array(z.enum(VIDEO_RESOLUTIONS)),
    supported_aspect_ratios: z.array(z.enum(VIDEO_ASPECT_RATIOS)),
    supported_sizes: z.array(z.string().regex(/^\d+x\d+$/, 'must be WIDTHxHEIGHT')),
    /** Seconds. */
    supported_durations: z.array(z.int().positive()).min(1),
    supported_frame_images: z.array(z.enum(VIDEO_FRAMES)),
    /** Whether it makes sound; also the default for requests. */
    generate_audio: z.boolean(),
    seed: z.boolean(),
    /** The levels that it knows; true where they are not known, false for none. */
    creativity: z.union([z.boolean(), z.array(z.int()).min(1)]),
    upscale_factor: z.strictObject({ min: z.number().positive(), max: z.number().positive() }),
    /** Makes a video of pictures alone. */
    prompt_optional: z.boolean(),
    /** Can go on from a video of its own. */
    continuation: z.boolean(),
    /** The provider's own parameters that callers may set. */
    allowed_passthrough_parameters: z.array(z.string()),
  })
  .partial();

export type VideoCapabilities = z.infer<typeof videoCapabilitiesSchema>;

/** The capabilities with the input modalities of the model, where those are known. */
export interface VideoAbilities extends VideoCapabilities {
  readonly inputModalities?: readonly string[] | undefined;
}
