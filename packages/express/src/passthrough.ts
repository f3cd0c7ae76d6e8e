import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';

import { GatewayError, NO_SNIFFING, SANDBOXED } from '@model-gateway/core';
import { lostBody, type ParsedBody, readParsedBody } from '@model-gateway/node';
import type { RequestHandler } from 'http-proxy-middleware';

import type { ExpressRequest } from './express-request.ts';

export interface PassthroughOptions {
  /** Base URL of the other gateway's API, with its version: `https://host/api/v1`. */
  readonly target: string;
  /**
   * Sent upstream instead of the key of every authenticated caller. Callers get all its rights, so use an API key and
   * no management key. Default: callers' own keys are passed on.
   */
  readonly apiKey?: string | undefined;
}

/** Whether the gateway has this path, with any method. */
type HasPath = (path: string) => boolean;

interface Passthrough {
  /** Whether the path may be forwarded. */
  accepts(path: string): boolean;
  /**
   * Forwards the request, and returns the response as it comes. Resolves at its end or, once it has begun, at its
   * failure; throws `GatewayError` when there is no response.
   */
  forward(request: ExpressRequest, response: ServerResponse): Promise<void>;
}

const API_PREFIX = '/api/v1';
/** Dot segments, in every spelling that servers know: once resolved, they lead out of the target's folder. */
const DOT_SEGMENT = /(^|\/|\\|%2f|%5c)(\.|%2e){1,2}($|\/|\\|%2f|%5c|;|%3b)/i;
/** Escapes of escapes are undone as often as that: a server behind others may be the next to do so. */
const MOST_DECODINGS = 3;

/** A path as the most generous server reads it; null for one that cannot be decoded to an end. */
function toPlainPath(path: string): string | null {
  let plain = path;
  for (let round = 0; plain.includes('%'); round += 1) {
    if (round === MOST_DECODINGS) return null;
    try {
      plain = decodeURIComponent(plain);
    } catch {
      return null;
    }
  }
  return plain
    .replaceAll('\\', '/')
    .replace(/;[^/]*/g, '')
    .replace(/\/{2,}/g, '/')
    .replace(/\/$/, '')
    .toLowerCase();
}

/** Same limit as the gateway's own for a response in one piece. */
const IDLE_TIMEOUT_MS = 600_000;

/** The proxy library, and the errors of its requests. */
interface Proxy {
  readonly send: RequestHandler<ExpressRequest>;
  readonly failures: WeakMap<IncomingMessage, Error>;
}

/**
 * Creates the passthrough to another gateway, for paths that this one does not have, in whatever spelling: the other one
 * may take them for the same. Throws `RangeError` for a target that is no plain http(s) address.
 */
export function createPassthrough({ target, apiKey }: PassthroughOptions, has: HasPath): Passthrough {
  const targetUrl = parseTarget(target);
  let loading: Promise<Proxy> | undefined;

  return {
    accepts(path) {
      if (!path.startsWith(`${API_PREFIX}/`) || DOT_SEGMENT.test(path)) return false;
      const plain = toPlainPath(path);
      return plain !== null && !DOT_SEGMENT.test(plain) && !has(plain);
    },
    async forward(request, response) {
      if (readParsedBody(request).type === 'lost' && hasBody(request)) throw lostBody();
      loading ??= loadProxy(targetUrl, apiKey);
      const { send, failures } = await loading;
      if (response.closed) return;
      // Node has responded to it already, and with it the library would forward the headers without calling this code.
      delete request.headers.expect;
      await send(request, response, () => undefined);
      const cause = failures.get(request);
      if (cause === undefined) return;
      // A response that breaks off must not look complete.
      if (response.headersSent) response.destroy();
      else throw new GatewayError('provider_unavailable', 'The upstream gateway cannot be reached', { cause });
    },
  };
}

function parseTarget(target: string): string {
  const url = URL.canParse(target) ? new URL(target) : undefined;
  const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new RangeError(
      'passthrough.target must be an http(s) address without credentials or query: https://host/api/v1',
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** The library has dependencies of its own, so it is loaded only for passthrough. */
async function loadProxy(target: string, apiKey: string | undefined): Promise<Proxy> {
  const { createProxyMiddleware } = await import('http-proxy-middleware');
  const failures: Proxy['failures'] = new WeakMap();
  const send = createProxyMiddleware<ExpressRequest>({
    target,
    changeOrigin: true,
    followRedirects: false,
    proxyTimeout: IDLE_TIMEOUT_MS,
    pathRewrite: (path) => path.slice(API_PREFIX.length),
    ...(apiKey !== undefined && { headers: { authorization: `Bearer ${apiKey}` } }),
    // The library's own plugins write to the console and respond to errors with text.
    ejectPlugins: true,
    plugins: [
      (server) => {
        server.on('proxyReq', (upstream, request) => {
          removeHeaders(upstream, apiKey !== undefined);
          sendParsedBody(upstream, readParsedBody(request));
        });
        server.on('proxyRes', cleanResponse);
        server.on('error', (error, request) => {
          if (request !== undefined) failures.set(request, error);
        });
      },
    ],
  });
  return { send, failures };
}

function removeHeaders(upstream: ClientRequest, hasOwnKey: boolean): void {
  for (const name of upstream.getHeaderNames()) {
    if (!isPassedOn(name, hasOwnKey)) upstream.removeHeader(name);
  }
  // The library closes the connection after a body of unknown length; that must remain so.
  if (upstream.getHeader('connection') !== 'close') upstream.removeHeader('connection');
}

/** Sends the body that a parser has already read off the connection. */
function sendParsedBody(upstream: ClientRequest, body: ParsedBody): void {
  if (body.type !== 'json' && body.type !== 'bytes') return;
  const bytes = body.type === 'bytes' ? body.bytes : Buffer.from(JSON.stringify(body.value));
  // Parsers have decompressed the body.
  upstream.removeHeader('content-encoding');
  upstream.removeHeader('transfer-encoding');
  upstream.setHeader('content-length', bytes.byteLength);
  upstream.write(bytes);
}

const hasBody = ({ headers }: ExpressRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function cleanResponse({ headers }: IncomingMessage): void {
  for (const name of Object.keys(headers)) if (!isPassedBack(name)) delete headers[name];
  Object.assign(headers, NO_SNIFFING, SANDBOXED);
  if (headers['content-type']?.startsWith('text/event-stream') !== true) return;
  // Without this, `compression()` before the router would hold the stream back until its end.
  headers['cache-control'] = 'no-cache, no-transform';
  headers['x-accel-buffering'] = 'no';
}

/** Headers of a single connection, or ones that a server trusts. */
const OWN_TO_CONNECTION: ReadonlySet<string> = new Set([
  'forwarded',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'via',
  'x-real-ip',
]);

/** Headers that are meant for the host: sessions, and browser headers that a gateway may refuse. */
const OWN_TO_HOST: ReadonlySet<string> = new Set(['cookie', 'cookie2', 'origin']);

/** Other headers in which APIs expect keys. */
const KEY_HEADERS: ReadonlySet<string> = new Set(['api-key', 'x-api-key', 'x-goog-api-key']);

/** Whether a caller's header is sent to the upstream gateway. With a key of our own, no key of the caller is. */
function isPassedOn(name: string, hasOwnKey: boolean): boolean {
  if (OWN_TO_CONNECTION.has(name) || OWN_TO_HOST.has(name)) return false;
  if (name.startsWith('x-forwarded-') || name.startsWith('sec-')) return false;
  return !(hasOwnKey && KEY_HEADERS.has(name));
}

/**
 * Headers that a client of an API needs. All others concern upstream's origin (cookies, CORS, transport security,
 * content policy) and would apply to the host's here.
 */
const PASSED_BACK: ReadonlySet<string> = new Set([
  'accept-ranges',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-range',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'link',
  'location',
  'retry-after',
  'retry-after-ms',
  'transfer-encoding',
  'vary',
]);

const NOT_PASSED_BACK: ReadonlySet<string> = new Set(['x-frame-options', 'x-powered-by', 'x-xss-protection']);

/** Whether a header of the upstream gateway's response is sent to the caller. */
function isPassedBack(name: string): boolean {
  return PASSED_BACK.has(name) || (name.startsWith('x-') && !NOT_PASSED_BACK.has(name));
}
