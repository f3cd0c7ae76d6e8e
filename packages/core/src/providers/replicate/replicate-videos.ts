import { z } from 'zod';

import { checkWith } from '../../foundation/parse.ts';
import {
  createVideoCalls,
  type DownloadingVideoSettings,
  toVideoProvider,
  unexpectedResponse,
  type VideoProviderSettings,
} from '../kit/video-calls.ts';
import type { Provider } from '../provider.ts';
import type { VideoOrder, VideoProgress, VideoProvider } from '../video-contract.ts';
import { createReplicateImages } from './replicate-images.ts';
import { type Prediction, readPrediction, statusOf, urlsOf } from './replicate-predictions.ts';

const listSchema = z.object({
  results: z.array(
    z.object({
      id: z.string().min(1),
      created_at: z.string(),
      model: z.string().nullish(),
      version: z.string().nullish(),
      input: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
});

/** Creates a provider over Replicate's predictions: `baseUrl` is `https://api.replicate.com/v1`. */
export function createReplicateProvider(settings: VideoProviderSettings): Provider {
  return {
    ...toVideoProvider(settings, {
      scheme: 'Bearer',
      createVideos: createReplicateVideos,
      createImages: createReplicateImages,
    }),
    putsModelInPath: true,
  };
}

/**
 * Creates the video part of a provider over Replicate's predictions. The model is `owner/name`, with a version after a
 * colon where it is not an official one. Its videos are deleted within the hour, so an archive is recommended.
 */
function createReplicateVideos(settings: DownloadingVideoSettings): VideoProvider {
  const { name, baseUrl, downloads } = settings;
  const calls = createVideoCalls(settings);

  const toProgress = (prediction: Prediction): VideoProgress => {
    const { output, error } = prediction;
    const status = statusOf(prediction);
    if (status === 'failed' || status === 'cancelled') return { status, error: calls.toJobError(error) };
    if (status !== 'completed') return { status };
    const outputs = urlsOf(output).map((url) => ({ url }));
    return outputs.length > 0 ? { status, outputs } : { status: 'failed', error: `${name} returned no video` };
  };

  const toPrediction = (value: unknown): Prediction => {
    const prediction = readPrediction(value);
    if (prediction !== undefined) return prediction;
    throw unexpectedResponse(name);
  };

  return {
    honoursIdempotencyKey: false,
    async start({ providerModel, order, signal, timeoutMs }) {
      const headers = { 'content-type': 'application/json', prefer: 'respond-async' };
      const body = JSON.stringify({ version: providerModel, input: toInput(order) });
      const { value, retryAfterMs } = await calls.json({
        method: 'POST',
        url: `${baseUrl}/predictions`,
        headers,
        body,
        signal,
        timeoutMs,
      });
      const prediction = toPrediction(value);
      return {
        ...toProgress(prediction),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
        upstreamId: prediction.id,
      };
    },
    async poll({ job, signal, timeoutMs }) {
      const url = `${baseUrl}/predictions/${encodeURIComponent(job.upstreamId)}`;
      const { value, retryAfterMs } = await calls.json({ method: 'GET', url, signal, timeoutMs });
      return { ...toProgress(toPrediction(value)), ...(retryAfterMs !== undefined && { retryAfterMs }) };
    },
    fetch: ({ output: { url = '' }, headers, signal, timeoutMs }) =>
      calls.download({ url, headers, signal, timeoutMs }, downloads),
    async find({ providerModel, order, sinceMs, untilMs, signal, timeoutMs }) {
      const { value } = await calls.json({ method: 'GET', url: `${baseUrl}/predictions`, signal, timeoutMs });
      const list = checkWith(listSchema, value);
      if (!list.success) throw unexpectedResponse(name);
      return list.data.results
        .filter(({ created_at: created }) => Date.parse(created) >= sinceMs && Date.parse(created) <= untilMs)
        .filter(({ model, version }) => isOfModel(providerModel, model, version))
        .filter(({ input }) => input?.['prompt'] === order.prompt)
        .map(({ id }) => id);
    },
  };
}

/** `owner/name`, `owner/name:version` and the version alone all name it. */
function isOfModel(asked: string, model: string | null | undefined, version: string | null | undefined): boolean {
  const [name, tag] = asked.split(':');
  return name === model ? tag === undefined || tag === version : asked === version;
}

function toInput(order: VideoOrder): object {
  const { prompt, durationSeconds, aspectRatio, resolution, seed, generateAudio, frameImages, inputReferences } = order;
  const frame = (type: 'first_frame' | 'last_frame'): string | undefined =>
    frameImages.find(({ frame_type: found }) => found === type)?.image_url.url;
  const images = inputReferences.flatMap((one) => (one.type === 'image_url' ? [one.image_url.url] : []));
  return {
    prompt,
    duration: durationSeconds,
    aspect_ratio: aspectRatio,
    resolution,
    seed,
    generate_audio: generateAudio,
    image: frame('first_frame'),
    last_frame: frame('last_frame'),
    reference_images: images.length > 0 ? images : undefined,
    audio: inputReferences.find((one) => one.type === 'audio_url')?.audio_url.url,
    video: inputReferences.find((one) => one.type === 'video_url')?.video_url.url,
    upscale_factor: order.upscaleFactor,
    creativity: order.creativity,
    ...order.options,
  };
}
