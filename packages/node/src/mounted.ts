import type { IncomingMessage, ServerResponse } from 'node:http';

import {
  checkExposed,
  type Authenticate,
  DEFAULT_BODY_LIMIT_BYTES,
  DEFAULT_TIMEOUTS,
  type Gateway,
  GatewayError,
  type GatewayRequest,
  type Logger,
  requestIdOf,
  type Surface,
  toErrorResponse,
} from '@model-gateway/core';

import { createPublicView, toOwnPath } from './http/guard-request.ts';
import { type NodeRequestOptions, toGatewayRequest } from './http/to-gateway-request.ts';
import { writeResponse } from './http/write-response.ts';
import { createNodePlatform } from './node-platform.ts';

/** Options of every host that mounts a gateway among its own routes. */
export interface MountOptions {
  /** Routes to offer beside the API. Default: none. */
  readonly expose?: readonly Exclude<Surface, 'api'>[] | undefined;
  /** Limit of a body in bytes. Default 32 MiB. A parser that runs before the gateway has its own limit. */
  readonly bodyLimitBytes?: number | undefined;
  /** Time in which a client must read pending data before its connection is closed. Default two minutes. */
  readonly clientWriteTimeoutMs?: number | undefined;
}

/** What the host knows of one request. */
export type MountedRequestOptions = Omit<NodeRequestOptions, 'bodyLimitBytes' | 'awaitsContinue' | 'json'>;

/** A gateway among the routes of a host on Node's http. */
export interface MountedGateway {
  /** Path and query of a request as its host passes it on; a target in absolute form is served, too. */
  urlOf(request: IncomingMessage): string;
  /** Whether one of the offered routes has this method and path, which is without the query. */
  offers(method: string | undefined, path: string): boolean;
  toRequest(request: IncomingMessage, response: ServerResponse, options: MountedRequestOptions): GatewayRequest;
  /** Hands the request to the gateway and writes its response. Does nothing if the host has responded meanwhile. */
  serve(request: IncomingMessage, response: ServerResponse, options: MountedRequestOptions): Promise<void>;
  /** Responds with an error in the API's form. */
  refuse(request: IncomingMessage, response: ServerResponse, error: GatewayError): Promise<void>;
}

const platform = createNodePlatform();

/** What all hosts on Node's http share that mount a gateway. */
export function createMountedGateway(gateway: Gateway, options: MountOptions): MountedGateway {
  checkExposed(options.expose);
  const surfaces: readonly Surface[] = ['api', ...(options.expose ?? [])];
  const bodyLimitBytes = options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES;
  const write = { clientWriteTimeoutMs: options.clientWriteTimeoutMs ?? DEFAULT_TIMEOUTS.clientWriteMs };
  const toRequest: MountedGateway['toRequest'] = (request, response, seen) =>
    toMountedRequest(request, response, { ...seen, bodyLimitBytes });

  return {
    urlOf: ({ url = '/', headers }) => toOwnPath(url, headers),
    offers: (method = 'GET', path) => gateway.matches(method, path, surfaces),
    toRequest,
    async serve(request, response, seen) {
      await writeResponse(response, await gateway.handle(toRequest(request, response, seen)), write);
    },
    async refuse(request, response, error) {
      const headers = { 'x-request-id': requestIdOf(request, platform) };
      await writeResponse(response, toErrorResponse(error, headers), write);
    },
  };
}

export interface NodeHandlerOptions<Request extends IncomingMessage = IncomingMessage> extends MountOptions {
  /** The path where the gateway is mounted, e.g. `/ai`. Default: the root. */
  readonly mountPath?: string | undefined;
  /**
   * The host's own sign-in, in place of the gateway's keys; null leads to a 401. Not called for health checks and the
   * OpenAPI document. What it throws is a 500, and logged by the gateway.
   */
  readonly authenticate?: Authenticate<Request> | undefined;
  /** The origin under which clients reach the host, where it differs from that of the request: `https://host`. */
  readonly publicOrigin?: string | undefined;
  /** Addresses or CIDR ranges of proxies whose forwarded headers are trusted. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Default: a response that cannot be written is cut off without a word. */
  readonly logger?: Pick<Logger, 'error'> | undefined;
}

/** Fits `createServer` of `node:http`, and the middleware of every framework that is built on it. */
export type NodeHandler<Request extends IncomingMessage = IncomingMessage> = (
  request: Request,
  response: ServerResponse,
  next?: () => void,
) => void;

/**
 * Mounts a gateway into a host on Node's http: `toNodeHandler(gateway, { mountPath: '/ai' })` serves `/ai/api/v1/…`.
 * Requests that match no route go to `next`; without it, they get a 404 in the form of the API. The host may parse
 * bodies earlier, and leaves them in `request.body`. The caller starts and closes the gateway. Throws `RangeError` for
 * a range of `trustedProxies` that is none.
 */
export function toNodeHandler<Request extends IncomingMessage = IncomingMessage>(
  gateway: Gateway,
  options: NodeHandlerOptions<Request> = {},
): NodeHandler<Request> {
  const { authenticate, logger } = options;
  const mountPath = (options.mountPath ?? '').replace(/\/+$/, '');
  const mounted = createMountedGateway(gateway, options);
  const view = createPublicView({ publicUrl: options.publicOrigin, trustedProxies: options.trustedProxies });

  return (request, response, next) => {
    const place = findMountPlace(request, mountPath);
    const isOurs = place !== undefined && mounted.offers(request.method, place.path);
    if (!isOurs && next !== undefined) return next();
    // The gateway itself responds to paths and methods that it does not know, but it knows routes that are not exposed.
    const isHidden = !isOurs && gateway.authOf(request.method ?? 'GET', place?.path ?? '/') !== undefined;
    const serving =
      place === undefined || isHidden
        ? mounted.refuse(request, response, new GatewayError('not_found', 'There is nothing at this path'))
        : mounted.serve(request, response, {
            url: place.url,
            mountPath: place.mountPath,
            originOf: view.originOf,
            remoteAddress: view.clientAddressOf(request),
            authenticate: authenticate && (() => authenticate(request)),
          });
    serving.catch((error: unknown) => {
      logger?.error('a response could not be written', { reason: String(error) });
      response.destroy();
    });
  };
}

/** Where a request is, seen from a mounted gateway. */
interface MountPlace {
  /** Path and query below the mount, beginning with a slash. */
  readonly url: string;
  readonly path: string;
  /** The path of the mount as the client sees it; empty at the root. */
  readonly mountPath: string;
}

/**
 * Finds a request's place below `mountPath`; undefined for one that is elsewhere. Middleware (Express, Nest, middie)
 * removes the path at which it calls a handler, and leaves the whole in `originalUrl`. `mountPath` may follow what was
 * removed, or be the whole path.
 */
function findMountPlace(
  request: IncomingMessage & { readonly originalUrl?: unknown },
  mountPath: string,
): MountPlace | undefined {
  const { originalUrl, headers } = request;
  const url = toOwnPath(request.url ?? '/', headers);
  const whole = typeof originalUrl === 'string' ? toOwnPath(originalUrl, headers) : url;
  if (mountPath === '' || url.startsWith(`${mountPath}/`)) {
    const removed = whole.endsWith(url) ? whole.slice(0, -url.length) : '';
    return toMountPlace(url.slice(mountPath.length), removed + mountPath);
  }
  return whole.startsWith(`${mountPath}/`) ? toMountPlace(whole.slice(mountPath.length), mountPath) : undefined;
}

function toMountPlace(url: string, mountPath: string): MountPlace {
  const queryAt = url.indexOf('?');
  return { url, path: queryAt === -1 ? url : url.slice(0, queryAt), mountPath };
}

/** Builds the core's request from one of a host that may have parsed its body, and has removed the path of the mount. */
function toMountedRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: NodeRequestOptions,
): GatewayRequest {
  const { bodyLimitBytes } = options;
  const body = readParsedBody(request);
  const isTooLarge = (limitBytes: number): boolean => sizeOfBody(request, body) > limitBytes;
  const gatewayRequest = toGatewayRequest(request, response, {
    ...options,
    json: body.type === 'json' && !isTooLarge(bodyLimitBytes) ? body.value : undefined,
  });
  const { readBody, openBody } = gatewayRequest;
  /** The body, if middleware has read it; undefined if it is still to be read. */
  const takeBytes = (limitBytes: number): Uint8Array | undefined => {
    if (isTooLarge(limitBytes)) {
      throw new GatewayError('payload_too_large', `The body is larger than ${limitBytes} bytes`);
    }
    if (body.type === 'bytes') return body.bytes;
    // Another handler may have read the stream: data that has ended does not come again.
    if (request.readableEnded) throw lostBody();
    return undefined;
  };
  return Object.assign(gatewayRequest, {
    async readBody(limitBytes = bodyLimitBytes) {
      return takeBytes(limitBytes) ?? readBody(limitBytes);
    },
    async *openBody(limitBytes = bodyLimitBytes) {
      const bytes = takeBytes(limitBytes);
      if (bytes === undefined) yield* openBody(limitBytes);
      else yield bytes;
    },
  });
}

/** The error for a body that the host's middleware has consumed. No 5xx, because it is permanent. */
export function lostBody(): GatewayError {
  return new GatewayError(
    'unprocessable',
    'The application read the body and left none; mount the gateway before that middleware, or leave the body in request.body',
  );
}

/** Size of the body as sent, if another handler has read it; the gateway's own reader counts the bytes itself. */
function sizeOfBody({ headers }: IncomingMessage, body: ParsedBody): number {
  if (body.type === 'bytes') return body.bytes.byteLength;
  return body.type === 'json' ? Number(headers['content-length'] ?? 0) : 0;
}

/** State of a request's body when it reaches the router. */
export type ParsedBody =
  /** The body was not read; it still comes from the connection. */
  | { readonly type: 'unread' }
  /** Read by `express.json()` or a similar parser. */
  | { readonly type: 'json'; readonly value: unknown }
  /** Read by `express.raw()` or `express.text()`. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  /** A handler before the router has read the body and left nothing usable. */
  | { readonly type: 'lost' };

/** Content types of bodies that core treats as JSON. */
const JSON_TYPE = /^application\/([\w.-]+\+)?json\b/i;

/**
 * Finds the body of a request that parsers may have read. The state of the connection says whether one did, because
 * Express 4 sets `request.body` to `{}` for bodies that its parser left alone. An object of a non-JSON body (a form)
 * counts as lost.
 */
export function readParsedBody(request: IncomingMessage & { readonly body?: unknown }): ParsedBody {
  if (!request.readableEnded) return { type: 'unread' };
  const { body } = request;
  if (typeof body === 'string') return { type: 'bytes', bytes: Buffer.from(body) };
  if (body instanceof Uint8Array) return { type: 'bytes', bytes: body };
  const contentType = request.headers['content-type'];
  const isJson = body !== undefined && (contentType === undefined || JSON_TYPE.test(contentType));
  return isJson ? { type: 'json', value: body } : { type: 'lost' };
}
