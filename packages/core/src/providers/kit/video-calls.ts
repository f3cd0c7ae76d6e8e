import { GatewayError } from '../../foundation/errors.ts';
import { parseJson } from '../../foundation/parse.ts';
import {
  readErrorText,
  readRetryAfterSeconds,
  readText,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../foundation/transport.ts';
import { readOpenAiError } from '../openai/read-openai-error.ts';
import type { Provider } from '../provider.ts';
import type { VideoContent, VideoProvider } from '../video-contract.ts';
import { checkTransport, describeProvider, type ProviderOptions, toUpstream, type Upstream } from './to-upstream.ts';
import { type ReadError, toPublicText, toRefusalError } from './upstream-error.ts';

/** Settings of every video wire. */
export interface VideoSettings extends Upstream {
  /** Added to every address of the provider itself, without the question mark. Default: none. */
  readonly query?: string | undefined;
}

/** The same for wires whose videos lie at addresses that upstream names. */
export interface DownloadingVideoSettings extends VideoSettings {
  /** Transport for addresses that came from a caller or from upstream. Must refuse internal addresses. */
  readonly downloads: Transport;
}

interface JsonCall {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export interface JsonResponse {
  readonly value: unknown;
  /** Time until the next poll, as upstream requires. */
  readonly retryAfterMs: number | undefined;
}

interface ContentCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Limit to the first byte and between pieces; the whole takes as long as the client takes to read it. */
  readonly timeoutMs: number;
}

/** The ways to call an upstream that all video wires share. Each throws `GatewayError` or `TransportError`. */
interface VideoCalls {
  /** Sends a call with the provider's headers; resolves with the JSON of a response with status 200, 201 or 202. */
  json(call: JsonCall): Promise<JsonResponse>;
  /** Opens a video that the provider itself serves. */
  content(call: ContentCall): Promise<VideoContent>;
  /** Opens what lies at an address that upstream has named. A refusal there means that the address has expired. */
  download(call: ContentCall, downloads: Transport): Promise<VideoContent>;
  /** Upstream's message about a failed job, in a form that the caller may see. */
  toJobError(text: string | null | undefined): string;
}

/** Enough for the largest job object seen; a page of an upstream's list is larger than any of them. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;
const MAX_REDIRECTS = 3;
const OK: ReadonlySet<number> = new Set([200, 201, 202]);
const CONTENT: ReadonlySet<number> = new Set([200, 206, 416]);
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Statuses with which hosts of signed addresses respond after the expiry of the signature. */
const EXPIRED: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);

/** Creates them. `readError` reads the wire's own form of a refusal; default: that of OpenAI and its like. */
export function createVideoCalls(
  { name, query = '', headers, secrets, transport }: Omit<VideoSettings, 'baseUrl'>,
  readError: ReadError = readOpenAiError,
): VideoCalls {
  const toOwnUrl = (url: string): string => (query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`);

  const fail = async (response: TransportResponse): Promise<GatewayError> =>
    toRefusalError({ name, secrets }, readError, response, await readErrorText(response.body));

  const open = async (call: ContentCall, via: Transport): Promise<TransportResponse> => {
    let { url } = call;
    for (let redirects = 0; ; redirects += 1) {
      const response = await via.send(toContentRequest({ ...call, url }));
      const next = REDIRECTS.has(response.status) ? URL.parse(response.headers['location'] ?? '', url) : null;
      // Google redirects its downloads to another path. Another host would not have been checked.
      if (next === null || next.origin !== new URL(url).origin || redirects === MAX_REDIRECTS) return response;
      await leave(response);
      url = next.href;
    }
  };

  return {
    async json({ timeoutMs, headers: own, ...call }) {
      const response = await transport.send({
        ...call,
        url: toOwnUrl(call.url),
        headers: { ...headers, ...own },
        headersTimeoutMs: timeoutMs,
        idleTimeoutMs: timeoutMs,
        totalTimeoutMs: timeoutMs,
      });
      if (!OK.has(response.status)) throw await fail(response);
      const value = parseJson(await readText(response.body, MAX_JSON_BYTES));
      if (value === undefined) throw unexpectedResponse(name);
      return { value, retryAfterMs: readPollAfterMs(response.headers) };
    },
    async content(call) {
      const own = { ...call, url: toOwnUrl(call.url), headers: { ...headers, ...call.headers } };
      const response = await open(own, transport);
      if (CONTENT.has(response.status)) return response;
      throw await fail(response);
    },
    async download(call, downloads) {
      const response = await open(call, downloads);
      if (CONTENT.has(response.status)) return response;
      await leave(response);
      const { status } = response;
      if (EXPIRED.has(status)) throw new GatewayError('not_found', `${name} no longer has this video`);
      throw new GatewayError('provider_unavailable', `${name} did not deliver the video (HTTP ${status})`);
    },
    toJobError: (text) => toPublicText(text ?? undefined, secrets) ?? `${name} could not make the video`,
  };
}

/** The error for a response that does not match the wire. */
export const unexpectedResponse = (name: string): GatewayError =>
  new GatewayError('provider_unavailable', `${name} returned something other than a video job`);

function toContentRequest({ timeoutMs, ...call }: ContentCall): TransportRequest {
  return {
    method: 'GET',
    ...call,
    headersTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
    totalTimeoutMs: Number.POSITIVE_INFINITY,
    maxBodyBytes: Number.POSITIVE_INFINITY,
  };
}

async function leave({ body }: TransportResponse): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}

function readPollAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const hint = Number(headers['openai-poll-after-ms'] || Number.NaN);
  if (hint >= 0) return hint;
  const wait = readRetryAfterSeconds(headers);
  return wait === undefined ? undefined : wait * 1000;
}

export interface VideoProviderSettings extends Omit<ProviderOptions, 'discoverModels'> {
  /** Transport for videos at addresses that upstream names. Must refuse internal addresses. */
  readonly downloads: Transport;
}

interface VideoWire {
  /** The word before the key in `authorization`. */
  readonly scheme: 'Bearer' | 'Key';
  readonly createVideos: (settings: DownloadingVideoSettings) => VideoProvider;
  /** Default: it makes no images in this way. */
  readonly createImages?: (settings: DownloadingVideoSettings) => NonNullable<Provider['image']>;
}

/** Creates a provider for a wire that has videos, and images at most beside them. */
export function toVideoProvider(
  settings: VideoProviderSettings,
  { scheme, createVideos, createImages }: VideoWire,
): Provider {
  checkTransport(settings, 'downloads');
  const upstream = toUpstream(settings, { keyHeader: 'authorization', keyScheme: scheme });
  const downloading = { ...upstream, downloads: settings.downloads };
  return {
    ...describeProvider(settings),
    video: createVideos(downloading),
    ...(createImages !== undefined && { image: createImages(downloading) }),
  };
}
