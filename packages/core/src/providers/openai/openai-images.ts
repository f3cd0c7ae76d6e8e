import { GatewayError } from '../../foundation/errors.ts';
import { isRecord, objectsOf, parseJson, readCount, type Unchecked } from '../../foundation/parse.ts';
import { readErrorText, type TransportRequest } from '../../foundation/transport.ts';
import type { Usage } from '../../wire/chat-chunk.ts';
import { refuseField } from '../../wire/fields.ts';
import { type Pixels, quotientOf, toPixels } from '../../wire/image-frame.ts';
import type { ImageCall, ImageOrder, ImageResult, MadeImage } from '../image-contract.ts';
import { askWhole } from '../kit/ask-whole.ts';
import { toImageResult } from '../kit/made-images.ts';
import { createSseDecoder } from '../kit/sse-decoder.ts';
import { parseDataUrl, type Upstream } from '../kit/to-upstream.ts';
import { toRefusalError, toUpstreamError } from '../kit/upstream-error.ts';
import type { Provider } from '../provider.ts';
import { parseImages } from './parse-images.ts';
import { readErrorFields, readOpenAiError } from './read-openai-error.ts';
import { toProviderName } from './response/openai-completion-reader.ts';
import { readOpenAiUsage } from './response/read-openai-usage.ts';

/** How one request for images is made, and what of its answer is read. */
export interface ImageWire {
  readonly name: string;
  /** Throws `invalid_request` that names what this wire cannot express. */
  readonly toRequest: (call: ImageCall) => ImageSending;
  /** Whether upstream is a gateway, and names the provider behind it. */
  readonly isGateway: boolean;
}

/** A request as it is sent; `shown` is the body as it is stored. */
export interface ImageSending {
  readonly url: string;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly shown: object;
}

interface OpenAiImageSettings {
  readonly toUrl: (path: string, providerModel: string) => string;
  /** Names of models are the customer's own. */
  readonly hasDeployments: boolean;
}

/** Creates the images of a provider over OpenAI's wire: `POST /images/generations`, and `/images/edits` with pictures. */
export function createOpenAiImages(
  upstream: Upstream,
  { toUrl, hasDeployments }: OpenAiImageSettings,
): NonNullable<Provider['image']> {
  const kindOf = (model: string): ImageModelKind => kindOfModel(model, hasDeployments);
  return createImageWire(upstream, {
    name: 'openai',
    isGateway: false,
    toRequest(call) {
      const { order, providerModel } = call;
      const kind = kindOf(providerModel);
      if (order.references.length > 0) return toEdit(call, kind, toUrl('/images/edits', providerModel));
      const shown = { ...order.options, ...toFields(call, kind), prompt: order.prompt };
      const url = toUrl('/images/generations', providerModel);
      return { url, contentType: 'application/json', body: JSON.stringify(shown), shown };
    },
  });
}

/** Creates images whose answers have OpenAI's form, whole or as a stream of events. */
export function createImageWire(upstream: Upstream, wire: ImageWire): NonNullable<Provider['image']> {
  return async (call) => {
    const { signal, timeoutMs, onPart } = call;
    const { url, contentType, body, shown } = wire.toRequest(call);
    call.onSent?.(wire.name, shown);
    const type = { 'content-type': contentType };
    if (onPart === undefined) {
      const text = await askWhole(upstream, readOpenAiError, { url, headers: type, body, signal, timeoutMs });
      return readWhole(text, upstream, wire);
    }
    const request: TransportRequest = {
      method: 'POST',
      url,
      headers: { ...upstream.headers, ...type },
      body,
      signal,
      headersTimeoutMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
      totalTimeoutMs: timeoutMs,
    };
    return readStreamed(request, upstream, { wire, onPart });
  };
}

interface Reading {
  readonly wire: ImageWire;
  readonly onPart: NonNullable<ImageCall['onPart']>;
}

/** Reads events as they come. A server that ignores `stream` sends its answer whole. */
async function readStreamed(
  request: TransportRequest,
  upstream: Upstream,
  { wire, onPart }: Reading,
): Promise<ImageResult> {
  const response = await upstream.transport.send(request);
  if (response.status !== 200) {
    throw toRefusalError(upstream, readOpenAiError, response, await readErrorText(response.body));
  }
  const type = response.headers['content-type']?.toLowerCase() ?? '';
  if (!type.startsWith('text/event-stream')) {
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body) pieces.push(piece);
    return readWhole(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).text(), upstream, wire);
  }
  const decoder = createSseDecoder();
  const images: MadeImage[] = [];
  let last: Unchecked = {};
  const read = (data: string): void => {
    const event = parseJson(data);
    if (!isRecord(event)) return;
    const { type: name, b64_json: base64 } = event;
    if (event['error'] != null) throw toStreamError(event['error'], upstream);
    if (name === 'image_generation.text_chunk' && typeof event['text'] === 'string') {
      onPart({ type: 'text', phase: toPhase(event['phase']), text: event['text'] });
    }
    if (typeof base64 !== 'string' || typeof name !== 'string') return;
    // Edits have events of a name of their own.
    if (name.endsWith('.partial_image')) {
      onPart({ type: 'preview', index: readCount(event['partial_image_index']) ?? 0, base64 });
    } else if (name.endsWith('.completed')) {
      images.push({ base64, mediaType: mediaTypeOf(event) });
      last = { ...last, ...event };
    }
  };
  for await (const bytes of response.body) for (const data of decoder.push(bytes)) read(data);
  const rest = decoder.end();
  if (rest !== undefined) read(rest);
  return toResult(images, last, upstream, wire);
}

const toPhase = (phase: unknown): 'content' | 'reasoning' | 'draft' =>
  phase === 'reasoning' || phase === 'draft' ? phase : 'content';

function toStreamError(error: unknown, { name: providerName, secrets }: Upstream): GatewayError {
  return toUpstreamError({ ...readErrorFields(error), providerName, secrets, body: error });
}

function readWhole(text: string, upstream: Upstream, wire: ImageWire): ImageResult {
  const body = parseImages(text);
  if (!isRecord(body)) {
    throw new GatewayError('provider_unavailable', `${upstream.name} returned a response without images`);
  }
  if (body['error'] != null) throw toStreamError(body['error'], upstream);
  const images = objectsOf(body['data']).flatMap((image) =>
    typeof image['b64_json'] === 'string'
      ? [{ base64: image['b64_json'], mediaType: mediaTypeOf({ ...body, ...image, b64_json: undefined }) }]
      : readDataUrl(image['url']),
  );
  return toResult(images, body, upstream, wire);
}

/** Servers of this wire that keep no files give an address that is the image. */
function readDataUrl(url: unknown): MadeImage[] {
  const data = typeof url === 'string' ? parseDataUrl(url) : undefined;
  return data === undefined ? [] : [data];
}

function mediaTypeOf({ media_type: type, output_format: format }: Unchecked): string | undefined {
  if (typeof type === 'string') return type;
  return format === 'png' || format === 'jpeg' || format === 'webp' ? `image/${format}` : undefined;
}

function toResult(
  images: readonly MadeImage[],
  { id, usage, provider }: Unchecked,
  { name }: Upstream,
  { isGateway }: ImageWire,
): ImageResult {
  const read = readImageUsage(usage);
  return toImageResult(
    {
      images,
      ...read,
      ...(typeof id === 'string' && { upstreamId: id }),
      ...(isGateway && typeof provider === 'string' && { upstreamProvider: toProviderName(provider) }),
    },
    name,
  );
}

/** OpenAI counts images in the words of its Responses API, gateways in those of chats. */
function readImageUsage(usage: unknown): Pick<ImageResult, 'usage' | 'upstreamCostUsd' | 'upstreamCosts'> {
  const read = readOpenAiUsage(usage);
  if (read !== undefined) return read;
  if (!isRecord(usage)) return {};
  const prompt = readCount(usage['input_tokens']);
  const completion = readCount(usage['output_tokens']);
  if (prompt === undefined || completion === undefined) return {};
  const sent = isRecord(usage['input_tokens_details']) ? usage['input_tokens_details'] : {};
  const made = isRecord(usage['output_tokens_details']) ? usage['output_tokens_details'] : {};
  const cached = readCount(sent['cached_tokens']);
  const pictures = readCount(sent['image_tokens']);
  const counted: Usage = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...((pictures !== undefined || cached !== undefined) && {
      prompt_tokens_details: {
        ...(cached !== undefined && { cached_tokens: cached }),
        ...(pictures !== undefined && { image_tokens: pictures }),
      },
    }),
    // Models that write nothing else do not split their output.
    completion_tokens_details: { image_tokens: readCount(made['image_tokens']) ?? completion },
  };
  return { usage: counted };
}

interface ImageModelKind {
  /** It always sends base64, and refuses to be asked for it. */
  readonly isAlwaysBase64: boolean;
  readonly hasThreeFrames: boolean;
}

/**
 * What a model takes, by its name. A deployment is often called `Dalle3`, without the hyphen; one under a name of its own
 * is taken for one of GPT Image, all of which know the three frames.
 */
function kindOfModel(model: string, hasDeployments: boolean): ImageModelKind {
  const isGptImage = /^(?:gpt-image|chatgpt-image)/.test(model);
  const isUnknown = hasDeployments && !isGptImage && !/dall-?e/i.test(model);
  return {
    isAlwaysBase64: isGptImage || isUnknown,
    hasThreeFrames: /^(?:gpt-image-1|chatgpt-image)/.test(model) || isUnknown,
  };
}

function toFields({ order, providerModel: model, onPart }: ImageCall, kind: ImageModelKind): Record<string, unknown> {
  const { count, quality, background, output_format: format, output_compression: compression, seed } = order;
  const size = toSize(order, kind);
  return {
    model,
    ...(count > 1 && { n: count }),
    ...(size !== undefined && { size }),
    ...(quality != null && { quality }),
    ...(background != null && { background }),
    ...(format != null && { output_format: format }),
    ...(compression != null && { output_compression: compression }),
    ...(seed != null && { seed }),
    ...(!kind.isAlwaysBase64 && { response_format: 'b64_json' }),
    ...(onPart !== undefined && { stream: true, partial_images: order.previews }),
  };
}

function toSize({ frame }: ImageOrder, { hasThreeFrames }: ImageModelKind): string | undefined {
  const pixels = toPixels(frame);
  if (pixels === undefined) return undefined;
  const { width, height } = frame.pixels === undefined && hasThreeFrames ? toNearestFrame(pixels) : pixels;
  return `${width}x${height}`;
}

const FRAMES: readonly Pixels[] = [
  { width: 1024, height: 1024 },
  { width: 1536, height: 1024 },
  { width: 1024, height: 1536 },
];
const WIDE = Math.sqrt(quotientOf('3:2'));

function toNearestFrame({ width, height }: Pixels): Pixels {
  const quotient = width / height;
  return FRAMES[quotient > WIDE ? 1 : quotient < 1 / WIDE ? 2 : 0] as Pixels;
}

/** A form, as edits are sent. Its pictures are files, so that one at an address cannot be in it. */
function toEdit(call: ImageCall, kind: ImageModelKind, url: string): ImageSending {
  const { order } = call;
  const fields = { ...order.options, ...toFields(call, kind), prompt: order.prompt };
  const files = order.references.map((reference, index) => ({
    name: order.references.length === 1 ? 'image' : 'image[]',
    picture: toFile(reference, `input_references.${index}.image_url.url`),
  }));
  if (order.mask !== undefined) files.push({ name: 'mask', picture: toFile(order.mask, 'mask.image_url.url') });
  const boundary = `form-${call.generationId.replaceAll(/[^\w-]/g, '')}`;
  const pieces: (string | Uint8Array)[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    pieces.push(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`);
  }
  for (const [index, { name, picture }] of files.entries()) {
    const type = picture.mediaType;
    const head = `content-disposition: form-data; name="${name}"; filename="${index}.${type.slice('image/'.length)}"`;
    pieces.push(`--${boundary}\r\n${head}\r\ncontent-type: ${type}\r\n\r\n`, picture.bytes, '\r\n');
  }
  pieces.push(`--${boundary}--\r\n`);
  const shown = { ...fields, image: order.references, ...(order.mask !== undefined && { mask: order.mask }) };
  return { url, contentType: `multipart/form-data; boundary=${boundary}`, body: join(pieces), shown };
}

function toFile(url: string, path: string): { readonly mediaType: string; readonly bytes: Uint8Array } {
  const data = parseDataUrl(url);
  if (data === undefined) throw refuseField(path, 'must be a data: URL, because this provider fetches no addresses');
  if (!/^image\/[\w.+-]+$/.test(data.mediaType)) throw refuseField(path, 'must be an image');
  try {
    const bytes = Uint8Array.from(atob(data.base64), (character) => character.charCodeAt(0));
    return { mediaType: data.mediaType, bytes };
  } catch (cause) {
    throw refuseField(path, 'must be an image in base64', cause);
  }
}

const encoder = new TextEncoder();

function join(pieces: readonly (string | Uint8Array)[]): Uint8Array {
  const parts = pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece));
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
