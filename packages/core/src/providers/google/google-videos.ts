import { z } from 'zod';

import { checkWith } from '../../foundation/parse.ts';
import { refuseField } from '../../wire/fields.ts';
import { parseDataUrl } from '../kit/to-upstream.ts';
import { createVideoCalls, type DownloadingVideoSettings, unexpectedResponse } from '../kit/video-calls.ts';
import type { VideoOrder, VideoProgress, VideoProvider, VideoStart } from '../video-contract.ts';
import { toModelPath } from './models.ts';
import { readGoogleErrorBody } from './read-google-error.ts';

/** A long-running operation: `done` comes with either `error` or `response`. */
const operationSchema = z.object({
  name: z.string().regex(/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/),
  done: z.boolean().nullish(),
  error: z.object({ code: z.number().nullish(), message: z.string().nullish() }).nullish(),
  response: z
    .object({
      generateVideoResponse: z
        .object({
          generatedSamples: z.array(z.object({ video: z.object({ uri: z.string().nullish() }).nullish() })).nullish(),
          raiMediaFilteredReasons: z.array(z.string()).nullish(),
        })
        .nullish(),
    })
    .nullish(),
});
type Operation = z.infer<typeof operationSchema>;

/** google.rpc.Code */
const CANCELLED = 1;
const MAX_PICTURE_BYTES = 20 * 1024 * 1024;

/**
 * Creates the videos of a provider over Google's long-running operations (Veo). Pictures are sent along, so those at
 * addresses are fetched first. The wire has neither a seed nor a switch for sound.
 */
export function createGoogleVideos(settings: DownloadingVideoSettings): VideoProvider {
  const { name, baseUrl, headers, downloads, withKey } = settings;
  const ownDownloads = withKey(downloads);
  const calls = createVideoCalls(settings, readGoogleErrorBody);

  const readOperation = (value: unknown): Operation => {
    const operation = checkWith(operationSchema, value);
    if (operation.success) return operation.data;
    throw unexpectedResponse(name);
  };

  const look = async (upstreamId: string, limits: Pick<VideoStart, 'signal' | 'timeoutMs'>) => {
    const { value, retryAfterMs } = await calls.json({ method: 'GET', url: `${baseUrl}/${upstreamId}`, ...limits });
    return { operation: readOperation(value), retryAfterMs };
  };

  const readPicture = async (url: string, path: string, { signal, timeoutMs }: VideoStart): Promise<object> => {
    const given = parseDataUrl(url);
    if (given !== undefined) return { bytesBase64Encoded: given.base64, mimeType: given.mediaType };
    const call = { url, headers: {}, signal, timeoutMs };
    const response = await calls.download(call, downloads).catch((cause: unknown) => {
      throw refuseField(path, 'the image could not be fetched', cause);
    });
    const mimeType = response.headers['content-type']?.split(';')[0]?.trim() ?? '';
    if (!mimeType.startsWith('image/')) throw refuseField(path, 'must be the address of an image');
    return { bytesBase64Encoded: await readBase64(response.body, path), mimeType };
  };

  const toInstance = async (call: VideoStart): Promise<object> => {
    const { prompt, frameImages, inputReferences, previousUpstreamId } = call.order;
    const instance: Record<string, unknown> = { ...(prompt !== undefined && { prompt }) };
    for (const [index, { frame_type: frame, image_url: image }] of frameImages.entries()) {
      const picture = await readPicture(image.url, `frame_images.${index}.image_url.url`, call);
      instance[frame === 'first_frame' ? 'image' : 'lastFrame'] = picture;
    }
    const references: object[] = [];
    for (const [index, reference] of inputReferences.entries()) {
      // Sounds and films are no use to it, and left out.
      if (reference.type !== 'image_url') continue;
      const image = await readPicture(reference.image_url.url, `input_references.${index}.image_url.url`, call);
      references.push({ image, referenceType: 'asset' });
    }
    if (references.length > 0) instance['referenceImages'] = references;
    if (previousUpstreamId !== undefined) {
      const uri = urisOf((await look(previousUpstreamId, call)).operation)[0];
      if (uri === undefined) throw refuseField('previous_job_id', 'must be a job whose video still exists');
      instance['video'] = { uri };
    }
    return instance;
  };

  return {
    honoursIdempotencyKey: false,
    async start(call) {
      const body = JSON.stringify({ instances: [await toInstance(call)], parameters: toParameters(call.order) });
      const url = `${baseUrl}/${toModelPath(call.providerModel)}:predictLongRunning`;
      const { signal, timeoutMs } = call;
      const own = { 'content-type': 'application/json' };
      const { value, retryAfterMs } = await calls.json({ method: 'POST', url, headers: own, body, signal, timeoutMs });
      const operation = readOperation(value);
      return {
        ...toProgress(operation, name, calls.toJobError),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
        upstreamId: operation.name,
      };
    },
    async poll({ job, signal, timeoutMs }) {
      const { operation, retryAfterMs } = await look(job.upstreamId, { signal, timeoutMs });
      return { ...toProgress(operation, name, calls.toJobError), ...(retryAfterMs !== undefined && { retryAfterMs }) };
    },
    fetch({ output: { url = '' }, headers: own, signal, timeoutMs }) {
      // Google's own files require the key; no other host may receive it.
      const isOwn = URL.parse(url)?.origin === new URL(baseUrl).origin;
      return isOwn
        ? calls.download({ url, headers: { ...headers, ...own }, signal, timeoutMs }, ownDownloads)
        : calls.download({ url, headers: own, signal, timeoutMs }, downloads);
    },
  };
}

function toParameters({ durationSeconds, aspectRatio, resolution, options }: VideoOrder): object {
  return {
    ...(durationSeconds !== undefined && { durationSeconds }),
    ...(aspectRatio !== undefined && { aspectRatio }),
    ...(resolution !== undefined && { resolution: resolution.toLowerCase() }),
    ...options,
  };
}

function toProgress(
  operation: Operation,
  name: string,
  toJobError: (text: string | null | undefined) => string,
): VideoProgress {
  const { done, error, response } = operation;
  if (error != null)
    return { status: error.code === CANCELLED ? 'cancelled' : 'failed', error: toJobError(error.message) };
  if (done !== true) return { status: 'in_progress' };
  const outputs = urisOf(operation).map((url) => ({ url, contentType: 'video/mp4' }));
  if (outputs.length > 0) return { status: 'completed', outputs };
  const reason = response?.generateVideoResponse?.raiMediaFilteredReasons?.[0];
  return { status: 'failed', error: reason === undefined ? `${name} returned no video` : toJobError(reason) };
}

const urisOf = ({ response }: Operation): string[] =>
  response?.generateVideoResponse?.generatedSamples?.flatMap(({ video }) => video?.uri ?? []) ?? [];

async function readBase64(body: AsyncIterable<Uint8Array>, path: string): Promise<string> {
  let binary = '';
  for await (const piece of body) {
    if (binary.length + piece.byteLength > MAX_PICTURE_BYTES) throw refuseField(path, 'must be at most 20 MB');
    for (const byte of piece) binary += String.fromCharCode(byte);
  }
  return btoa(binary);
}
