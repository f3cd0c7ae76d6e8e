import { z } from 'zod';

import { usageSchema } from './chat-chunk.ts';
import { traceSchema } from './fields.ts';
import { imageParametersSchema } from './image-capabilities.ts';
import { IMAGE_ASPECT_RATIOS, IMAGE_RESOLUTIONS } from './image-frame.ts';
import { providerPreferencesSchema, routingMembersSchema } from './routing.ts';

const SIZE = /^(?:512|1K|2K|4K|auto|[1-9]\d{1,4}x[1-9]\d{1,4})$/;

const pictureSchema = z.object({
  type: z.literal('image_url'),
  /** An address, or the picture itself as `data:`. */
  image_url: z.object({ url: z.string().min(1) }),
});

/** A picture that was uploaded before. */
const filePictureSchema = z.object({
  type: z.literal('file'),
  file: z.object({ file_id: z.string().min(1) }),
});

/** A request whose pictures are all in it, or at addresses. Fields that are not known are tolerated and not forwarded. */
export const imageRequestSchema = z.object({
  model: z.string().min(1),
  prompt: z.string().min(1),
  /** The most images to make: a provider may make fewer. */
  n: z.int().min(1).max(10).nullish(),
  size: z.string().regex(SIZE, 'must be 512, 1K, 2K, 4K, auto, or WIDTHxHEIGHT in pixels, e.g. 1536x1024').nullish(),
  resolution: z.enum(IMAGE_RESOLUTIONS).nullish(),
  aspect_ratio: z.enum([...IMAGE_ASPECT_RATIOS, 'auto']).nullish(),
  quality: z.enum(['auto', 'low', 'medium', 'high']).nullish(),
  background: z.enum(['auto', 'transparent', 'opaque']).nullish(),
  output_format: z.enum(['png', 'jpeg', 'webp', 'svg']).nullish(),
  output_compression: z.int().min(0).max(100).nullish(),
  seed: z.int().nullish(),
  stream: z.boolean().nullish(),
  /** The gateway's own: previews of each streamed image. Default: 2, where the provider makes any. */
  partial_images: z.int().min(0).max(3).nullish(),
  input_references: z.array(pictureSchema).max(16).nullish(),
  /** The gateway's own: a picture whose transparent parts are those of the first reference that may change. */
  mask: pictureSchema.nullish(),
  provider: providerPreferencesSchema
    .extend({
      /** Parameters of providers, by the slug of each; only those are sent that the model's entry allows. */
      options: z.record(z.string(), z.record(z.string(), z.unknown())).nullish(),
    })
    .nullish(),
  user: z.string().nullish(),
  session_id: z.string().max(256).nullish(),
  trace: traceSchema.nullish(),
});
export type ImageRequest = z.infer<typeof imageRequestSchema>;

const anyPictureSchema = z.discriminatedUnion('type', [pictureSchema, filePictureSchema]);

/** The body of `POST /images`, which may name pictures by the ids of files. */
export const imageBodySchema = imageRequestSchema.extend({
  input_references: z.array(anyPictureSchema).max(16).nullish(),
  mask: anyPictureSchema.nullish(),
});
export type ImageBody = z.infer<typeof imageBodySchema>;

const imageSchema = z.object({
  b64_json: z.string(),
  /** Absent where it could not be told. */
  media_type: z.string().optional(),
});

export const imageResponseSchema = z.object({
  /** Unix seconds. */
  created: z.int(),
  data: z.array(imageSchema),
  usage: usageSchema.optional(),
  ...routingMembersSchema.shape,
});

export type ImageResponse = z.infer<typeof imageResponseSchema>;

const imageEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('image_generation.partial_image'),
    partial_image_index: z.int(),
    b64_json: z.string(),
  }),
  z.object({
    type: z.literal('image_generation.text_chunk'),
    phase: z.enum(['content', 'reasoning', 'draft']),
    text: z.string(),
  }),
  z.object({
    type: z.literal('image_generation.completed'),
    ...imageSchema.shape,
    created: z.int(),
    /** With the last image. */
    usage: usageSchema.optional(),
    ...routingMembersSchema.shape,
  }),
  z.object({
    type: z.literal('error'),
    error: z.object({
      code: z.string().nullable(),
      message: z.string(),
      param: z.string().nullable(),
      type: z.string().nullable(),
    }),
  }),
]);

/** One event of the stream. The data of the last one is [DONE]. */
export const imageStreamSchema = z.object({ data: imageEventSchema });

export const imageModelListSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      created: z.int(),
      architecture: z.object({ input_modalities: z.array(z.string()), output_modalities: z.array(z.string()) }),
      supported_parameters: imageParametersSchema,
      supports_streaming: z.boolean(),
      /** Address of the endpoints, without the host. */
      endpoints: z.string(),
    }),
  ),
});
export type ImageModel = z.infer<typeof imageModelListSchema>['data'][number];

const priceSchema = z.object({
  billable: z.enum(['output_image', 'input_image', 'input_font', 'input_reference', 'input_text']),
  unit: z.enum(['image', 'megapixel', 'token']),
  cost_usd: z.number(),
});
export type ImagePrice = z.infer<typeof priceSchema>;

export const imageEndpointsSchema = z.object({
  id: z.string(),
  endpoints: z.array(
    z.object({
      provider_name: z.string(),
      provider_slug: z.string(),
      provider_tag: z.string().nullable(),
      supported_parameters: imageParametersSchema,
      allowed_passthrough_parameters: z.array(z.string()),
      supports_streaming: z.boolean(),
      pricing: z.array(priceSchema),
    }),
  ),
});
export type ImageEndpoints = z.infer<typeof imageEndpointsSchema>;
