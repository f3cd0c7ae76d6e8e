import { GatewayError } from '../../foundation/errors.ts';
import type { ImageCall } from '../image-contract.ts';
import { createImagesByChat } from '../kit/images-by-chat.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import { createImageWire } from '../openai/openai-images.ts';
import type { Provider, WholeProvider } from '../provider.ts';

/**
 * Creates the images of a provider that is a gateway with this same API: `POST /images`. One that does not have it, or
 * not for this model, is asked in a chat.
 */
export function createGatewayImages(
  upstream: Upstream,
  { url, chatWhole }: { readonly url: string; readonly chatWhole: NonNullable<WholeProvider['chatWhole']> },
): NonNullable<Provider['image']> {
  const make = createImageWire(upstream, {
    name: 'gateway',
    isGateway: true,
    toRequest(call) {
      const shown = toRequest(call);
      return { url, contentType: 'application/json', body: JSON.stringify(shown), shown };
    },
  });
  const makeInChat = createImagesByChat({ providerName: upstream.name, modalities: ['image', 'text'], chatWhole });
  return async (call) => {
    try {
      return await make(call);
    } catch (error) {
      if (!isUnknownThere(error)) throw error;
      return makeInChat(call);
    }
  };
}

const isUnknownThere = (error: unknown): boolean =>
  error instanceof GatewayError && (error.upstreamStatus === 404 || error.upstreamStatus === 405);

function toRequest({ order, providerModel: model, preferences, onPart }: ImageCall): object {
  const { count, frame, references, mask, options, previews, ...own } = order;
  const { pixels, resolution, aspectRatio } = frame;
  const provider = { ...preferences, ...(Object.keys(options).length > 0 && { options }) };
  const toPicture = (url: string): object => ({ type: 'image_url', image_url: { url } });
  return {
    ...Object.fromEntries(Object.entries(own).filter(([, value]) => value != null)),
    model,
    ...(count > 1 && { n: count }),
    ...(pixels === undefined ? {} : { size: `${pixels.width}x${pixels.height}` }),
    ...(resolution !== undefined && { resolution }),
    ...(aspectRatio !== undefined && { aspect_ratio: aspectRatio }),
    ...(references.length > 0 && { input_references: references.map(toPicture) }),
    ...(mask !== undefined && { mask: toPicture(mask) }),
    ...(onPart !== undefined && { stream: true, partial_images: previews }),
    ...(Object.keys(provider).length > 0 && { provider }),
  };
}
