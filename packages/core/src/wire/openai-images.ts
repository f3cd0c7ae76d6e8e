import { z } from 'zod';

import { imageRequestSchema } from './images.ts';
import { routingMembersSchema } from './routing.ts';

const {
  size,
  quality: _quality,
  output_format: _format,
  ...common
} = imageRequestSchema.pick({
  model: true,
  prompt: true,
  n: true,
  size: true,
  background: true,
  output_format: true,
  output_compression: true,
  stream: true,
  partial_images: true,
  user: true,
  provider: true,
  quality: true,
}).shape;

/**
 * The body of `POST /images/generations`, as clients of OpenAI send it. Fields that are not known are tolerated and not
 * forwarded.
 */
export const openAiImageRequestSchema = z.object({
  ...common,
  size,
  quality: z.enum(['auto', 'low', 'medium', 'high', 'xhigh', 'max', 'standard', 'hd']).nullish(),
  output_format: z.enum(['png', 'jpeg', 'webp']).nullish(),
  response_format: z
    .literal('b64_json', { error: 'must be b64_json: images are sent themselves, never as addresses' })
    .nullish(),
});
export type OpenAiImageRequest = z.infer<typeof openAiImageRequestSchema>;

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const number = z
  .string()
  .regex(/^\d{1,3}$/, 'must be a whole number')
  .transform(Number);

/** The fields of the form that `POST /images/edits` takes, beside its files. */
export const openAiImageFieldsSchema = z
  .object({
    ...openAiImageRequestSchema.omit({ provider: true }).shape,
    n: number.optional(),
    output_compression: number.optional(),
    partial_images: number.optional(),
    stream: flag.optional(),
  })
  // The numbers have limits, which are those of the other bodies.
  .transform((fields): unknown => fields)
  .pipe(openAiImageRequestSchema);

/** The form itself, for the API document. */
export const openAiImageFormSchema = z.object({
  model: z.string(),
  prompt: z.string(),
  /** One picture, or up to 16 as `image[]`; text in it is the id of a stored file. */
  image: z.string().meta({ format: 'binary' }).optional(),
  /** The id of a stored file, in place of a picture; several as `file_id[]`. */
  file_id: z.string().optional(),
  /** Text in it is the id of a stored file. */
  mask: z.string().meta({ format: 'binary' }).optional(),
  n: z.string().optional(),
  size: z.string().optional(),
  quality: z.string().optional(),
  background: z.string().optional(),
  output_format: z.string().optional(),
  output_compression: z.string().optional(),
  response_format: z.string().optional(),
  stream: z.string().optional(),
  partial_images: z.string().optional(),
  user: z.string().optional(),
});

const usageSchema = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  input_tokens_details: z.object({ text_tokens: z.int(), image_tokens: z.int() }),
  output_tokens_details: z.object({ text_tokens: z.int(), image_tokens: z.int() }),
  /** The gateway's own: USD; null when the price is unknown. */
  cost: z.number().nullable().optional(),
});
export type OpenAiImageUsage = z.infer<typeof usageSchema>;

export const openAiImageResponseSchema = z.object({
  created: z.int(),
  data: z.array(z.object({ b64_json: z.string() })),
  output_format: z.string().optional(),
  usage: usageSchema,
  ...routingMembersSchema.shape,
});

const about = {
  b64_json: z.string(),
  created_at: z.int(),
  background: z.string(),
  output_format: z.string(),
  quality: z.string(),
  size: z.string(),
};

/** One event of the stream; those of edits are called `image_edit`. The data of the last one is [DONE]. */
export const openAiImageStreamSchema = z.object({
  data: z.discriminatedUnion('type', [
    z.object({
      type: z.enum(['image_generation.partial_image', 'image_edit.partial_image']),
      partial_image_index: z.int(),
      ...about,
    }),
    z.object({
      type: z.enum(['image_generation.completed', 'image_edit.completed']),
      usage: usageSchema,
      ...about,
    }),
    z.object({
      type: z.literal('error'),
      error: z.object({ code: z.string().nullable(), message: z.string(), param: z.null(), type: z.string() }),
    }),
  ]),
});
