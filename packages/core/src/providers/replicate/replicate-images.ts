import { raceAbort } from '../../foundation/awaitable.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { joinPieces, sendWhole, toText } from '../../foundation/transport.ts';
import { toPixels } from '../../wire/image-frame.ts';
import type { ImageCall, ImageOrder, MadeImage } from '../image-contract.ts';
import { toBase64Pieces } from '../kit/base64.ts';
import { toImageResult } from '../kit/made-images.ts';
import { parseDataUrl, toModelSegments } from '../kit/to-upstream.ts';
import { toPublicText } from '../kit/upstream-error.ts';
import { createVideoCalls, type DownloadingVideoSettings } from '../kit/video-calls.ts';
import type { Provider } from '../provider.ts';
import { type Prediction, readPrediction, statusOf, urlsOf } from './replicate-predictions.ts';

/**
 * How long the first response is waited for. Most models are done by then; of a slower one the id is needed early, so
 * that its prediction can be cancelled.
 */
const FIRST_WAIT_SECONDS = 10;
const LOOK_EVERY_MS = 500;
/** Upstream accepts no shorter limit. */
const MIN_LIFE_SECONDS = 5;
const CANCEL_TIMEOUT_MS = 10_000;

/**
 * Creates the images of a provider over Replicate's predictions. One that takes longer than the first response is asked
 * for again until it is over, and cancelled where the call ends before. The images lie at addresses that upstream names,
 * and are fetched from there without the key.
 */
export function createReplicateImages(settings: DownloadingVideoSettings): NonNullable<Provider['image']> {
  const { name, baseUrl, secrets, downloads } = settings;
  const calls = createVideoCalls(settings);

  const toPrediction = ({ value }: { readonly value: unknown }): Prediction => {
    const prediction = readPrediction(value);
    if (prediction !== undefined) return prediction;
    throw new GatewayError('provider_unavailable', `${name} returned something other than a prediction`);
  };

  const start = async ({ order, providerModel, onSent, signal, timeoutMs }: ImageCall): Promise<Prediction> => {
    const input = toInput(order);
    // Official models have a path of their own, and no version.
    const isOfficial = /^[^/:]+\/[^/:]+$/.test(providerModel);
    const body = isOfficial ? { input } : { version: providerModel, input };
    onSent?.('replicate', body);
    const response = await calls.json({
      method: 'POST',
      url: `${baseUrl}/${isOfficial ? `models/${toModelSegments(providerModel)}/` : ''}predictions`,
      headers: {
        'content-type': 'application/json',
        prefer: `wait=${FIRST_WAIT_SECONDS}`,
        'cancel-after': `${Math.max(Math.ceil(timeoutMs / 1000), MIN_LIFE_SECONDS)}s`,
      },
      body: JSON.stringify(body),
      signal,
      timeoutMs,
    });
    return toPrediction(response);
  };

  const finish = async (begun: Prediction, { signal, timeoutMs, pause }: ImageCall): Promise<Prediction> => {
    const url = `${baseUrl}/predictions/${encodeURIComponent(begun.id)}`;
    let prediction = begun;
    try {
      while (!isOver(prediction)) {
        await raceAbort(pause(LOOK_EVERY_MS), signal);
        prediction = toPrediction(await calls.json({ method: 'GET', url, signal, timeoutMs }));
      }
      return prediction;
    } catch (error) {
      // The call has ended, so that this has a signal of its own, and nothing waits for it.
      const { signal: own } = new AbortController();
      const cancel = { method: 'POST', url: `${url}/cancel`, signal: own, timeoutMs: CANCEL_TIMEOUT_MS } as const;
      calls.json(cancel).catch(() => undefined);
      throw error;
    }
  };

  const fetchImage = async (url: string, { signal, timeoutMs }: ImageCall): Promise<MadeImage> => {
    const given = parseDataUrl(url);
    if (given !== undefined) return given;
    const { status, headers, bytes } = await sendWhole(downloads, {
      method: 'GET',
      url,
      headers: {},
      signal,
      headersTimeoutMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
      totalTimeoutMs: timeoutMs,
    });
    if (status !== 200) {
      throw new GatewayError('provider_unavailable', `${name} did not deliver the image (HTTP ${status})`);
    }
    const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
    return {
      base64: toText(joinPieces([...toBase64Pieces([bytes])])),
      mediaType: type.startsWith('image/') ? type : undefined,
    };
  };

  return async (call) => {
    const prediction = await finish(await start(call), call);
    const urls = statusOf(prediction) === 'completed' ? urlsOf(prediction.output) : [];
    const images = await Promise.all(urls.slice(0, call.order.count).map((url) => fetchImage(url, call)));
    const reason = toPublicText(prediction.error ?? undefined, secrets);
    return toImageResult({ images, upstreamId: prediction.id }, name, reason);
  };
}

const isOver = (prediction: Prediction): boolean => ['completed', 'failed', 'cancelled'].includes(statusOf(prediction));

/** Input fields differ between models, so a caller's options take precedence. */
function toInput({ prompt, count, frame, references, mask, options, ...order }: ImageOrder): object {
  const { resolution, aspectRatio } = frame;
  const { output_format: format, output_compression: quality, seed } = order;
  const [first, ...others] = references;
  return {
    prompt,
    num_outputs: count > 1 ? count : undefined,
    ...(aspectRatio === undefined && toPixels(frame)),
    aspect_ratio: aspectRatio,
    resolution,
    // The word that its models have for JPEG.
    output_format: format === 'jpeg' ? 'jpg' : (format ?? undefined),
    output_quality: quality ?? undefined,
    seed: seed ?? undefined,
    image: first,
    image_input: others.length > 0 ? references : undefined,
    mask,
    ...options,
  };
}
