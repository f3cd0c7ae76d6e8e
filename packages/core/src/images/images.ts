import type { ModelCall } from '../calls/model-call.ts';
import { weighText } from '../calls/texts.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import type { CallContext } from '../dispatch/prepare-call.ts';
import {
  type DeferredKind,
  runDeferredCall,
  type WholeCallParts,
  type WholeResult,
} from '../dispatch/run-whole-call.ts';
import { GatewayError } from '../foundation/errors.ts';
import { toMadeMedia } from '../generations/made-media.ts';
import type { ImageCall, ImagePart, ImageResult } from '../providers/image-contract.ts';
import { isBase64, megapixelsOf } from '../providers/kit/made-images.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { MediaInput } from '../wire/generation.ts';
import type { ImageCapabilities } from '../wire/image-capabilities.ts';
import type { ImageRequest } from '../wire/images.ts';
import { picturesOf, refuseContradictions, refuseUnoffered, toImageOrder } from './image-kind.ts';

/** An image that is being made: no other endpoint is asked any more. */
interface Begun {
  readonly result: Promise<ImageResult>;
}

/**
 * Runs one call for images. `onPart` receives their parts as they come, where the request is streamed. Throws what ended
 * the call; either way it has been recorded.
 */
export async function runImages(
  call: ModelCall<ImageRequest>,
  context: CallContext<WholeCallParts>,
  onPart?: (part: ImagePart) => void,
): Promise<WholeResult<ImageResult>> {
  refuseContradictions(call.request);
  return runDeferredCall(call, toDeferredKind(context.parts, onPart), context);
}

function toDeferredKind(
  { timeouts, logging, platform, routing: { catalog } }: WholeCallParts,
  onPart: ((part: ImagePart) => void) | undefined,
): DeferredKind<ImageRequest, Begun, ImageResult> {
  const capabilitiesOf = ({ modelId }: Endpoint): ImageCapabilities | undefined =>
    catalog.find(modelId)?.definition.image;
  const pause = (forMs: number): Promise<void> => new Promise((resolve) => void platform.setTimer(resolve, forMs));
  return {
    async ask(endpoint, { id: generationId, request }, { signal, preferences, onSent }) {
      const { provider, providerModel } = endpoint;
      const ask = provider.image?.bind(provider);
      if (ask === undefined) throw new GatewayError('not_found', `${provider.name} does not make images`);
      const capabilities = capabilitiesOf(endpoint);
      refuseUnoffered(request, endpoint.modelId, capabilities);
      const order = toImageOrder(request, provider.slug, capabilities);
      const timeoutMs = timeouts.nonStreamMs;
      const begin = (given?: ImageCall['onPart']): Promise<ImageResult> =>
        ask({ generationId, order, providerModel, preferences, onPart: given, onSent, signal, timeoutMs, pause }).then(
          (made) => toSent(made, order.count, provider.name),
        );
      if (onPart === undefined) return { result: Promise.resolve(await begin()) };
      return new Promise<Begun>((resolve, reject) => {
        const result: Promise<ImageResult> = begin((part) => {
          // What an endpoint that was given up sends later belongs to no call.
          if (signal.aborted || (part.type === 'preview' && !isBase64(part.base64))) return;
          onPart(part);
          resolve({ result });
        });
        result.then(() => resolve({ result }), reject);
      });
    },
    finish: ({ result }) => result,
    usageOf: ({ usage }, { prompt }) => usage ?? toEstimate(prompt),
    factsOf({ images, upstreamId, upstreamCostUsd, upstreamCosts, upstreamProvider: provider }, request) {
      const megapixels = images.reduce((sum, { base64 }) => sum + megapixelsOf(base64), 0);
      return {
        upstreamId,
        upstreamCostUsd,
        upstreamCosts,
        ...(provider !== undefined && { upstream: { provider } }),
        images: picturesOf(request).length,
        made: { images: images.length, megapixels, isAll: true },
      };
    },
    contentOf: (request, result) => ({
      input: toStoredInput(request),
      output: { completion: null, reasoning: null, ...toMadeMedia('image', toTyped(result), logging) },
    }),
  };
}

/** The images as they are stored; most browsers tell the kind of one without a type by its bytes. */
const toTyped = (result: ImageResult | undefined) =>
  (result?.images ?? []).map(({ base64, mediaType = 'image/png' }) => ({ base64, mediaType }));

/**
 * What upstream makes beyond the order is neither sent nor charged. Throws `provider_unavailable` for what is no image.
 */
function toSent(result: ImageResult, count: number, providerName: string): ImageResult {
  const images = result.images.slice(0, count);
  if (images.length > 0 && images.every(({ base64 }) => isBase64(base64))) return { ...result, images };
  throw new GatewayError('provider_unavailable', `${providerName} returned images that cannot be read`);
}

function toEstimate(prompt: string): Usage {
  const tokens = Math.ceil(weighText(prompt));
  return { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens, estimated: true };
}

function toStoredInput(request: ImageRequest): { prompt: string; media?: MediaInput[] } {
  const pictures = picturesOf(request);
  if (pictures.length === 0) return { prompt: request.prompt };
  return { prompt: request.prompt, media: pictures.map((url) => ({ type: 'image', frame: null, url })) };
}
