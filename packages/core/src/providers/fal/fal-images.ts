import { z } from 'zod';

import { GatewayError } from '../../foundation/errors.ts';
import { checkWith, parseJson } from '../../foundation/parse.ts';
import { toPixels } from '../../wire/image-frame.ts';
import type { ImageOrder } from '../image-contract.ts';
import { askWhole } from '../kit/ask-whole.ts';
import { toImageResult } from '../kit/made-images.ts';
import { parseDataUrl, toModelSegments, type Upstream } from '../kit/to-upstream.ts';
import { readOpenAiError } from '../openai/read-openai-error.ts';
import type { Provider } from '../provider.ts';

const imageSchema = z.object({ url: z.string(), content_type: z.string().nullish() });
/** The result fields in which fal's models return images. */
const resultSchema = z.object({ image: imageSchema.nullish(), images: z.array(imageSchema).nullish() });

/**
 * Creates the images of fal, which are asked for at the host beside its queue: they take seconds, and come in the
 * response itself, as `sync_mode` says.
 */
export function createFalImages(upstream: Upstream): NonNullable<Provider['image']> {
  const { name } = upstream;
  const baseUrl = upstream.baseUrl.replace(/^(https:\/\/)queue\./, '$1');
  return async ({ order, providerModel, onSent, signal, timeoutMs }) => {
    const body = toInput(order);
    onSent?.('fal', body);
    const text = await askWhole(upstream, readOpenAiError, {
      url: `${baseUrl}/${toModelSegments(providerModel)}`,
      body: JSON.stringify(body),
      signal,
      timeoutMs,
    });
    const result = checkWith(resultSchema, parseJson(text));
    if (!result.success) throw new GatewayError('provider_unavailable', `${name} returned a response without images`);
    const { image, images } = result.data;
    const made = [...(image == null ? [] : [image]), ...(images ?? [])];
    return toImageResult({ images: made.flatMap(({ url }) => parseDataUrl(url) ?? []) }, name);
  };
}

/** Input fields differ between models, so a caller's options take precedence. */
function toInput({ prompt, count, frame, output_format: format, seed, references, mask, options }: ImageOrder): object {
  const { resolution, aspectRatio } = frame;
  const [first, ...others] = references;
  return {
    prompt,
    num_images: count > 1 ? count : undefined,
    image_size: toPixels(frame),
    aspect_ratio: aspectRatio,
    resolution,
    output_format: format ?? undefined,
    seed: seed ?? undefined,
    image_url: first,
    image_urls: others.length > 0 ? references : undefined,
    mask_url: mask,
    ...options,
    sync_mode: true,
  };
}
