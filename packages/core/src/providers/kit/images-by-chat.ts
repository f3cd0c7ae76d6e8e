import { isObject, isRecord } from '../../foundation/parse.ts';
import type { ChatChunk } from '../../wire/chat-chunk.ts';
import type { ChatCompletionRequest, ContentPart } from '../../wire/chat-request.ts';
import { toAspectRatio, toResolution } from '../../wire/image-frame.ts';
import type { ImageCall, ImageOrder, ImageResult, MadeImage } from '../image-contract.ts';
import type { ChatCall, Provider, WholeProvider } from '../provider.ts';
import { toImageResult } from './made-images.ts';
import { parseDataUrl } from './to-upstream.ts';

interface ImageChat {
  readonly providerName: string;
  /** What the chat is asked for. */
  readonly modalities: NonNullable<ChatCompletionRequest['modalities']>;
  readonly chatWhole: NonNullable<WholeProvider['chatWhole']>;
}

/**
 * Creates the images of a provider whose chats make them: a chat of one message, whose completion has as many images as
 * the model sees fit.
 */
export function createImagesByChat({ providerName, modalities, chatWhole }: ImageChat): NonNullable<Provider['image']> {
  return async (call) => toResult(await chatWhole(toChatCall(call, modalities)), providerName);
}

function toChatCall(call: ImageCall, modalities: ImageChat['modalities']): ChatCall {
  const { generationId, order, providerModel, preferences, onSent, signal, timeoutMs } = call;
  return {
    generationId,
    request: {
      messages: [{ role: 'user', content: toContent(order) }],
      modalities,
      image_config: toImageConfig(order),
      ...(order.seed != null && { seed: order.seed }),
    },
    providerModel,
    stream: false,
    supportedParameters: null,
    onward: { preferences, plugins: [] },
    onSent,
    signal,
    timeouts: { headersMs: timeoutMs, nonStreamMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs },
  };
}

function toContent({ prompt, references, mask }: ImageOrder): string | ContentPart[] {
  const pictures = mask === undefined ? references : [...references, mask];
  if (pictures.length === 0) return prompt;
  const parts = pictures.map((url) => ({ type: 'image_url' as const, image_url: { url } }));
  return [{ type: 'text', text: prompt }, ...parts];
}

/** Undefined where the image is left to the provider. */
function toImageConfig(order: ImageOrder): ChatCompletionRequest['image_config'] {
  const { frame, quality, background, output_format: format, output_compression: compression } = order;
  const ratio = toAspectRatio(frame);
  const size = toResolution(frame);
  const config = {
    ...(ratio !== undefined && { aspect_ratio: ratio }),
    ...(size !== undefined && { image_size: size }),
    ...(quality != null && { quality }),
    ...(background != null && { background }),
    ...(format != null && { output_format: format }),
    ...(compression != null && { output_compression: compression }),
  };
  return Object.keys(config).length === 0 ? undefined : config;
}

function toResult(chunk: ChatChunk, providerName: string): ImageResult {
  const { choices, usage, upstreamId, upstreamCostUsd, upstreamCosts, upstream } = chunk;
  if (upstream?.failure !== undefined) throw upstream.failure;
  const images = choices.flatMap(({ delta }) => (delta.images ?? []).flatMap(readImage));
  const [choice] = choices;
  const reason = choice?.finish_reason === 'stop' ? undefined : (choice?.native_finish_reason ?? undefined);
  return toImageResult(
    { images, usage, upstreamId, upstreamCostUsd, upstreamCosts, upstreamProvider: upstream?.provider },
    providerName,
    reason,
  );
}

/** `{ type: 'image_url', image_url: { url } }`, as chats have it. An image at an address is not fetched. */
function readImage(image: unknown): MadeImage[] {
  const link = isRecord(image) ? image['image_url'] : undefined;
  const url = isObject(link) ? link['url'] : undefined;
  const data = typeof url === 'string' ? parseDataUrl(url) : undefined;
  return data === undefined ? [] : [data];
}
