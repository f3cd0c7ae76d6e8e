import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';

import { GatewayError } from '@model-gateway/core';
import type { RequestHandler } from 'http-proxy-middleware';

import type { ExpressRequest } from './express-request.ts';
import { isPassedBack, isPassedOn } from './passed-headers.ts';
import { type ParsedBody, readParsedBody } from './read-parsed-body.ts';
import { lostBody } from './to-mounted-request.ts';

export interface PassthroughOptions {
  /** The other gateway's API, version included: `https://host/api/v1`. */
  readonly target: string;
  /**
   * Sent upstream instead of the caller's key, for every authenticated caller: they can do all that it may, so it
   * should be an API key and not one that administers. Default: the callers' own keys are passed on.
   */
  readonly apiKey?: string | undefined;
}

export interface Passthrough {
  /** Whether the path may be forwarded. */
  accepts(path: string): boolean;
  /**
   * Sends the request on, and the response back as it comes. Resolves when that is over or the response has begun;
   * throws `GatewayError` when there is no response to pass back.
   */
  forward(request: ExpressRequest, response: ServerResponse): Promise<void>;
}

const API_PREFIX = '/api/v1';
/** Steps out of the target's folder once upstream has resolved them, in every spelling that servers know. */
const DOT_SEGMENT = /(^|\/|\\|%2f|%5c)(\.|%2e){1,2}($|\/|\\|%2f|%5c|;|%3b)/i;
/** Same limit as the gateway's own for a response in one piece. */
const IDLE_TIMEOUT_MS = 600_000;

/** The proxy library, and what went wrong with a request that it was given. */
interface Proxy {
  readonly send: RequestHandler<ExpressRequest>;
  readonly failures: WeakMap<IncomingMessage, Error>;
}

/**
 * Creates the way to another gateway for paths that ours does not have. Throws `RangeError` for a target that is no
 * plain http(s) address.
 */
export function createPassthrough({ target, apiKey }: PassthroughOptions): Passthrough {
  const targetUrl = parseTarget(target);
  let loading: Promise<Proxy> | undefined;

  return {
    accepts: (path) => path.startsWith(`${API_PREFIX}/`) && !DOT_SEGMENT.test(path),
    async forward(request, response) {
      if (readParsedBody(request).type === 'lost' && hasBody(request)) throw lostBody();
      loading ??= loadProxy(targetUrl, apiKey);
      const { send, failures } = await loading;
      if (response.closed) return;
      // Node has responded to this header; with it the library would forward the headers without calling this code.
      delete request.headers.expect;
      await send(request, response, () => undefined);
      const cause = failures.get(request);
      if (cause === undefined) return;
      // A response that broke off must not end as if it were whole.
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

/** The library brings dependencies of its own, so only those who pass requests through load it. */
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
  // The library closes after a body of unknown length, and that must stay.
  if (upstream.getHeader('connection') !== 'close') upstream.removeHeader('connection');
}

/** Sends again what a parser before us has read off the connection. */
function sendParsedBody(upstream: ClientRequest, body: ParsedBody): void {
  if (body.type !== 'json' && body.type !== 'bytes') return;
  const bytes = body.type === 'bytes' ? body.bytes : Buffer.from(JSON.stringify(body.value));
  // Parsers decompress.
  upstream.removeHeader('content-encoding');
  upstream.removeHeader('transfer-encoding');
  upstream.setHeader('content-length', bytes.byteLength);
  upstream.write(bytes);
}

const hasBody = ({ headers }: ExpressRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function cleanResponse({ headers }: IncomingMessage): void {
  for (const name of Object.keys(headers)) if (!isPassedBack(name)) delete headers[name];
  if (headers['content-type']?.startsWith('text/event-stream') !== true) return;
  // Without this `compression()` before us would hold the stream back until its end.
  headers['cache-control'] = 'no-cache, no-transform';
  headers['x-accel-buffering'] = 'no';
}
