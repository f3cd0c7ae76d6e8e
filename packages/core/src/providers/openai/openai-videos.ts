import { z } from 'zod';

import { checkWith, isObject } from '../../foundation/parse.ts';
import { refuseField } from '../../wire/fields.ts';
import { parseDataUrl } from '../kit/to-upstream.ts';
import { createVideoCalls, type JsonResponse, unexpectedResponse, type VideoSettings } from '../kit/video-calls.ts';
import type { VideoOrder, VideoProgress, VideoProvider, VideoStart, VideoStarted } from '../video-contract.ts';

const jobSchema = z.object({
  id: z.string().min(1),
  status: z.string(),
  seconds: z.union([z.string(), z.number()]).nullish(),
  error: z.object({ code: z.string().nullish(), message: z.string().nullish() }).nullish(),
});

const listSchema = z.object({
  data: z.array(
    z.object({
      id: z.string().min(1),
      /** Unix seconds. */
      created_at: z.number(),
      model: z.string().nullish(),
      prompt: z.string().nullish(),
    }),
  ),
});

const STATUSES: ReadonlyMap<string, VideoProgress['status']> = new Map([
  ['queued', 'pending'],
  ['in_progress', 'in_progress'],
  ['processing', 'in_progress'],
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
  ['expired', 'expired'],
]);

/** Creates the video half of a provider over OpenAI's videos wire: `POST /videos`, `GET /videos/{id}`, its content. */
export function createOpenAiVideos(settings: VideoSettings): VideoProvider {
  const { name, baseUrl } = settings;
  const calls = createVideoCalls(settings);

  const readJob = ({ value, retryAfterMs }: JsonResponse): VideoStarted => {
    const job = checkWith(jobSchema, value);
    if (!job.success) throw unexpectedResponse(name);
    const { id, status: word, seconds, error } = job.data;
    const status = STATUSES.get(word) ?? 'unknown';
    const length = Number(seconds ?? Number.NaN);
    return {
      upstreamId: id,
      status,
      ...(error?.message != null && { error: calls.toJobError(error.message) }),
      ...(status === 'completed' && { outputs: [{ contentType: 'video/mp4' }] }),
      ...(Number.isFinite(length) && { durationSeconds: length }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  };

  return {
    honoursIdempotencyKey: false,
    async start({ signal, timeoutMs, ...start }) {
      const { contentType, body } = toStartBody(start);
      const headers = { 'content-type': contentType, 'idempotency-key': start.idempotencyKey };
      const url = `${baseUrl}/videos${start.order.previousUpstreamId === undefined ? '' : '/extensions'}`;
      return readJob(await calls.json({ method: 'POST', url, headers, body, signal, timeoutMs }));
    },
    async poll({ job, signal, timeoutMs }) {
      const url = `${baseUrl}/videos/${encodeURIComponent(job.upstreamId)}`;
      return readJob(await calls.json({ method: 'GET', url, signal, timeoutMs }));
    },
    fetch({ job, headers, signal, timeoutMs }) {
      const url = `${baseUrl}/videos/${encodeURIComponent(job.upstreamId)}/content`;
      return calls.content({ url, headers, signal, timeoutMs });
    },
    async find({ providerModel, order, sinceMs, untilMs, signal, timeoutMs }) {
      const url = `${baseUrl}/videos?limit=100&order=desc`;
      const { value } = await calls.json({ method: 'GET', url, signal, timeoutMs });
      const list = checkWith(listSchema, value);
      if (!list.success) throw unexpectedResponse(name);
      // Upstream's time is in whole seconds. A job without its prompt cannot be identified.
      return list.data.data
        .filter(({ created_at: at }) => at * 1000 > sinceMs - 1000 && at * 1000 <= untilMs)
        .filter(({ model, prompt }) => (model ?? providerModel) === providerModel && prompt === order.prompt)
        .map(({ id }) => id);
    },
  };
}

interface StartBody {
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

/** A form, which every server accepts; JSON only for an image at an address, which a form cannot contain. */
function toStartBody({ providerModel, order, idempotencyKey }: Omit<VideoStart, 'signal' | 'timeoutMs'>): StartBody {
  const image = imageOf(order);
  const { previousUpstreamId: previous } = order;
  const fields: Record<string, string> = {
    ...(order.prompt !== undefined && { prompt: order.prompt }),
    ...(order.durationSeconds !== undefined && { seconds: String(order.durationSeconds) }),
  };
  // An extension is of the model and size of what it extends.
  if (previous !== undefined) return toJsonBody({ ...fields, video: { id: previous }, ...order.options });
  fields['model'] = providerModel;
  if (order.size !== undefined) fields['size'] = order.size;
  const file = image === undefined ? undefined : parseDataUrl(image);
  if (image !== undefined && file === undefined) {
    return toJsonBody({ ...fields, input_reference: { image_url: image }, ...order.options });
  }
  if (file === undefined && Object.values(order.options).some(isObject)) {
    return toJsonBody({ ...fields, ...order.options });
  }
  for (const [key, value] of Object.entries(order.options))
    fields[key] = isObject(value) ? JSON.stringify(value) : String(value);
  return toForm(fields, file, `form-${idempotencyKey}`);
}

/** This wire accepts one image, as the first frame. */
function imageOf({ frameImages, inputReferences }: VideoOrder): string | undefined {
  if (frameImages.length > 0) {
    const last = frameImages.findIndex(({ frame_type }) => frame_type === 'last_frame');
    if (last !== -1)
      throw refuseField(
        `frame_images.${last}.frame_type`,
        'must be first_frame: this model does not support a last frame',
      );
    return frameImages[0]?.image_url.url;
  }
  // Sounds and films are no use to it, and left out.
  for (const reference of inputReferences) if (reference.type === 'image_url') return reference.image_url.url;
  return undefined;
}

const toJsonBody = (value: object): StartBody => ({ contentType: 'application/json', body: JSON.stringify(value) });

function toForm(
  fields: Readonly<Record<string, string>>,
  file: { readonly mediaType: string; readonly base64: string } | undefined,
  boundary: string,
): StartBody {
  const contentType = `multipart/form-data; boundary=${boundary}`;
  const head = Object.entries(fields)
    .map(([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('');
  const tail = `--${boundary}--\r\n`;
  if (file === undefined) return { contentType, body: head + tail };
  const [, extension] = /^image\/([\w.+-]+)$/.exec(file.mediaType) ?? [];
  if (extension === undefined) throw refuseField('frame_images', 'must have images as data URLs');
  const fileHead =
    `--${boundary}\r\ncontent-disposition: form-data; name="input_reference"; filename="reference.${extension}"\r\n` +
    `content-type: ${file.mediaType}\r\n\r\n`;
  return { contentType, body: concat([head + fileHead, decodeBase64(file.base64), `\r\n${tail}`]) };
}

function decodeBase64(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    throw refuseField('frame_images', 'must have valid base64 in their data URLs');
  }
}

function concat(parts: readonly (string | Uint8Array)[]): Uint8Array {
  const encoder = new TextEncoder();
  const pieces = parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part));
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
