import type { ChatCompletionRequest, ContentPart, ImageRequest, ImageResponse, Usage } from '@model-gateway/core/wire';

import { type Caller, openApi } from '../../api/call-api.ts';

/** Images as a piece of a completion. */
interface ImagesPiece {
  readonly generationId?: string;
  /** Addresses that contain the bytes. */
  readonly images: readonly string[];
  readonly finishReason: string;
  readonly usage?: Usage;
}

type Message = NonNullable<ChatCompletionRequest['messages']>[number];

/** Whether a chat is one with a model that makes images and nothing else, which have an operation of their own. */
export const isForImagesAlone = ({ modalities }: ChatCompletionRequest): boolean =>
  modalities?.length === 1 && modalities[0] === 'image';

/**
 * A chat as a request for images: the last words of the user, with the pictures beside them, or else those that the model
 * has made last, so that a conversation goes on from them.
 */
export function toImageRequest({ model, messages, provider, seed }: ChatCompletionRequest): ImageRequest {
  const said = messages.findLast(({ role }) => role === 'user');
  const sent = said === undefined ? [] : picturesOf(said);
  const made = messages.findLast(({ role }) => role === 'assistant');
  const pictures = sent.length > 0 || made === undefined ? sent : picturesOf(made);
  return {
    model: model ?? '',
    prompt: said === undefined ? '' : textOf(said),
    ...(pictures.length > 0 && {
      input_references: pictures.map((url) => ({ type: 'image_url' as const, image_url: { url } })),
    }),
    ...(provider && { provider }),
    ...(seed != null && { seed }),
  };
}

/** Makes images and yields them as a completion. Throws `ApiError`. */
export async function* makeImages(
  request: ChatCompletionRequest,
  caller: Caller,
  signal: AbortSignal,
): AsyncGenerator<ImagesPiece> {
  const body = toImageRequest(request);
  const response = await openApi('/api/v1/images', { method: 'POST', body, caller, signal });
  const generationId = response.headers.get('x-generation-id');
  const { data, usage } = (await response.json()) as ImageResponse;
  yield {
    ...(generationId !== null && { generationId }),
    images: data.map(({ b64_json: bytes, media_type: type = 'image/png' }) => `data:${type};base64,${bytes}`),
    finishReason: 'stop',
    ...(usage && { usage }),
  };
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap((part: ContentPart) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function picturesOf(message: Message): readonly string[] {
  if (message.role === 'assistant') {
    return (message.images ?? []).flatMap((image) => {
      const { image_url: named } = image as { image_url?: { url?: unknown } };
      return typeof named?.url === 'string' ? [named.url] : [];
    });
  }
  const { content } = message;
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: ContentPart) => (part.type === 'image_url' ? [part.image_url.url] : []));
}
