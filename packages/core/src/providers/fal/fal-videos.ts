import { z } from 'zod';

import { GatewayError } from '../../foundation/errors.ts';
import { checkWith } from '../../foundation/parse.ts';
import { toModelSegments, toUpstream } from '../kit/to-upstream.ts';
import type { ReadError } from '../kit/upstream-error.ts';
import {
  createVideoCalls,
  type DownloadingVideoSettings,
  toVideoProvider,
  unexpectedResponse,
  type VideoProviderSettings,
} from '../kit/video-calls.ts';
import { readOpenAiError } from '../openai/read-openai-error.ts';
import type { Provider } from '../provider.ts';
import type { VideoCall, VideoOrder, VideoOutput, VideoProgress, VideoProvider } from '../video-contract.ts';
import { createFalImages } from './fal-images.ts';

const submittedSchema = z.object({ response_url: z.url() });
const statusSchema = z.object({ status: z.string(), error: z.string().nullish() });

const fileSchema = z.object({ url: z.string().min(1), content_type: z.string().nullish() });
/** The result fields in which fal's models return the video. */
const resultSchema = z.object({ video: fileSchema.nullish(), videos: z.array(fileSchema).nullish() });

const STATUSES: ReadonlyMap<string, VideoProgress['status']> = new Map([
  ['IN_QUEUE', 'pending'],
  ['IN_PROGRESS', 'in_progress'],
  ['FAILED', 'failed'],
  ['CANCELED', 'cancelled'],
  ['CANCELLED', 'cancelled'],
]);

/** Refusals of the call, which are no result of the run, whatever their text. */
const ABOUT_THE_CALL: ReadonlySet<number> = new Set([401, 403, 404, 408, 429]);

/** Creates a provider over fal's queue: `baseUrl` is `https://queue.fal.run`. */
export function createFalProvider(settings: VideoProviderSettings): Provider {
  return {
    ...toVideoProvider(settings, { scheme: 'Key', createVideos: createFalVideos }),
    image: createFalImages(toUpstream(settings, { keyHeader: 'authorization', keyScheme: 'Key' })),
    putsModelInPath: true,
  };
}

/** The model is the path. Input fields differ between models, so a caller's options take precedence. */
function createFalVideos(settings: DownloadingVideoSettings): VideoProvider {
  const { name, baseUrl, downloads } = settings;
  const calls = createVideoCalls(settings, readError);

  const readResult = async (url: string, { signal, timeoutMs }: VideoCall): Promise<VideoProgress> => {
    try {
      const { value } = await calls.json({ method: 'GET', url, signal, timeoutMs });
      const outputs = toOutputs(value);
      return outputs.length > 0
        ? { status: 'completed', outputs }
        : { status: 'failed', error: `${name} returned no video` };
    } catch (error) {
      if (!(error instanceof GatewayError) || !isHowItEnded(error)) throw error;
      return { status: 'failed', error: error.message };
    }
  };

  return {
    honoursIdempotencyKey: false,
    async start({ providerModel, order, signal, timeoutMs }) {
      const url = `${baseUrl}/${toModelSegments(providerModel)}`;
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(toInput(order));
      const { value, retryAfterMs } = await calls.json({ method: 'POST', url, headers, body, signal, timeoutMs });
      const submitted = checkWith(submittedSchema, value);
      if (!submitted.success) throw unexpectedResponse(name);
      const upstreamId = toPath(submitted.data.response_url, baseUrl);
      return { status: 'pending', upstreamId, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    },
    async poll(call) {
      const { signal, timeoutMs } = call;
      const url = `${baseUrl}${call.job.upstreamId}`;
      const response = await calls.json({ method: 'GET', url: `${url}/status`, signal, timeoutMs });
      const status = checkWith(statusSchema, response.value);
      if (!status.success) throw unexpectedResponse(name);
      const { retryAfterMs } = response;
      if (status.data.error != null) return { status: 'failed', error: calls.toJobError(status.data.error) };
      if (status.data.status === 'COMPLETED') return readResult(url, call);
      return {
        status: STATUSES.get(status.data.status) ?? 'unknown',
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      };
    },
    fetch: ({ output: { url = '' }, headers, signal, timeoutMs }) =>
      calls.download({ url, headers, signal, timeoutMs }, downloads),
  };
}

/**
 * Returns the path of a request's status, which upstream reports because it is shorter than the model's. The host of
 * that URL is ignored: the key is sent only to the configured host.
 */
function toPath(url: string, baseUrl: string): string {
  const { pathname } = new URL(url);
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');
  return base !== '' && pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
}

function toInput(order: VideoOrder): object {
  const { prompt, durationSeconds, aspectRatio, resolution, seed, generateAudio, frameImages, inputReferences } = order;
  const frame = (type: 'first_frame' | 'last_frame'): string | undefined =>
    frameImages.find(({ frame_type: found }) => found === type)?.image_url.url;
  const images = inputReferences.flatMap((one) => (one.type === 'image_url' ? [one.image_url.url] : []));
  const audio = inputReferences.find((one) => one.type === 'audio_url')?.audio_url.url;
  const video = inputReferences.find((one) => one.type === 'video_url')?.video_url.url;
  const input: Record<string, unknown> = {
    prompt,
    // Some models define durations as words, so it is sent as a text.
    duration: durationSeconds === undefined ? undefined : String(durationSeconds),
    aspect_ratio: aspectRatio,
    resolution,
    seed,
    generate_audio: generateAudio,
    image_url: frame('first_frame') ?? (images.length === 1 ? images[0] : undefined),
    end_image_url: frame('last_frame'),
    image_urls: images.length > 1 ? images : undefined,
    audio_url: audio,
    video_url: video,
    upscale_factor: order.upscaleFactor,
    creativity: order.creativity,
    ...order.options,
  };
  return input;
}

function toOutputs(value: unknown): VideoOutput[] {
  const { video, videos } = checkWith(resultSchema, value).data ?? {};
  return [...(video == null ? [] : [video]), ...(videos ?? [])].map(({ url, content_type: contentType }) => ({
    url,
    ...(contentType != null && { contentType }),
  }));
}

/**
 * The result of a run that failed is a refusal: of the input, with a status of the caller's mistakes, or of the run,
 * with a type of its own. Any other refusal is no result of the run.
 */
function isHowItEnded({ upstreamStatus: status, metadata }: GatewayError): boolean {
  if (status === null || ABOUT_THE_CALL.has(status)) return false;
  return status < 500 || metadata?.['provider_code'] !== undefined;
}

function readError(body: string, status: number): ReturnType<ReadError> {
  const type = /"error_type"\s*:\s*"(\w+)"/.exec(body)?.[1];
  return { ...readOpenAiError(body, status), ...(type !== undefined && { providerCode: type }) };
}
