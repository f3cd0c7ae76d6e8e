import { GatewayError } from '../foundation/errors.ts';
import { createWebPlatform } from '../foundation/platform.ts';
import { readPieces, toReadableStream } from '../foundation/transport.ts';
import { type Authenticate, type GatewayRequest, requestIdOf } from './request.ts';
import { type GatewayResponse, toErrorResponse } from './response.ts';
import type { Surface } from './route.ts';

/** The part of a gateway that the handler uses. */
interface FetchedGateway {
  handle(request: GatewayRequest): Promise<GatewayResponse>;
  matches(method: string, path: string, surfaces: readonly Surface[]): boolean;
}

export interface FetchHandlerOptions {
  /** The path where the gateway is mounted, e.g. `/ai`; requests elsewhere get a 404. Default: the root. */
  readonly mountPath?: string | undefined;
  /** The origin that clients see, as `https://ai.example`, where a proxy stands in front. Default: that of the request. */
  readonly publicOrigin?: string | undefined;
  /** Routes to offer besides the API; all others respond with 404. Default: none. */
  readonly expose?: readonly Exclude<Surface, 'api'>[] | undefined;
  /** Largest body in bytes. Default 32 MiB. */
  readonly bodyLimitBytes?: number | undefined;
  /**
   * The host's own sign-in, in place of the gateway's keys; null leads to a 401. Not called for health checks and the
   * OpenAPI document. What it throws is a 500, and logged by the gateway.
   */
  readonly authenticate?: Authenticate<Request> | undefined;
  /**
   * Keeps the host going until this work is done, where it ends with its response: `after` of Next.js. A handler that is
   * given the context of a request (Workers, Hono) uses the `waitUntil` of that. Default: the host goes on anyway.
   */
  readonly waitUntil?: WaitUntil | undefined;
}

type WaitUntil = (work: Promise<unknown>) => void;

const BESIDE_API: readonly Exclude<Surface, 'api'>[] = ['ollama', 'gemini', 'health', 'metrics', 'openapi', 'admin'];

/**
 * Throws `RangeError` for a name that is not one of them: nothing would be served there, and nothing said. The API may be
 * named, as it is served anyway.
 */
export function checkExposed(expose: readonly string[] = []): void {
  const unknown = expose.filter((name) => name !== 'api' && !BESIDE_API.some((surface) => surface === name));
  if (unknown.length === 0) return;
  const ofCommand = unknown.includes('ui') ? '. The web UI is a part of the command alone' : '';
  const names = unknown.map((name) => `"${name}"`).join(', ');
  throw new RangeError(`expose has ${names}, which is none of ${BESIDE_API.join(', ')}${ofCommand}`);
}

/** Largest body that a host reads unless configured otherwise. */
export const DEFAULT_BODY_LIMIT_BYTES = 32 * 1024 * 1024;

/**
 * Adapts a gateway to the web-standard signature of Hono, Next.js, Deno and Workers. Costs about twice the CPU of the
 * plain handler, so hosts on Node with a choice use `listen` or the Express adapter. The second argument is what the host
 * knows of the request: the context of Workers, which is kept until everything is recorded, or anything else.
 */
export function toFetchHandler(
  gateway: FetchedGateway,
  options: FetchHandlerOptions = {},
): (request: Request, context?: unknown) => Promise<Response> {
  const mountPath = (options.mountPath ?? '').replace(/\/+$/, '');
  checkExposed(options.expose);
  const hidden = BESIDE_API.filter((surface) => options.expose?.includes(surface) !== true);
  const limitBytes = options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES;
  const { authenticate } = options;
  return async (request, context) => {
    const url = new URL(request.url);
    const path = url.pathname.slice(mountPath.length);
    const isElsewhere = mountPath !== '' && !url.pathname.startsWith(`${mountPath}/`);
    if (isElsewhere || gateway.matches(request.method, path, hidden)) {
      const elsewhere = new GatewayError('not_found', 'There is nothing at this path');
      const headers = { 'x-request-id': request.headers.get('x-request-id') ?? undefined };
      return toResponse(toErrorResponse(elsewhere, { 'x-request-id': requestIdOf({ headers }, createWebPlatform()) }));
    }
    const waitUntil = waitUntilOf(context) ?? options.waitUntil;
    const onEnd = waitUntil && holdHost(waitUntil);
    const response = await gateway.handle({
      id: undefined,
      method: request.method,
      path,
      query: url.search.slice(1),
      headers: Object.fromEntries(request.headers),
      readBody: (routeLimitBytes = limitBytes) => readPieces(openBody(request, routeLimitBytes)),
      openBody: (routeLimitBytes = limitBytes) => openBody(request, routeLimitBytes),
      signal: request.signal,
      waitUntil,
      baseUrl: (options.publicOrigin ?? url.origin) + mountPath,
      authenticate: authenticate && (() => authenticate(request)),
    });
    return toResponse(response, onEnd);
  };
}

function waitUntilOf(context: unknown): WaitUntil | undefined {
  if (typeof context !== 'object' || context === null || !('waitUntil' in context)) return undefined;
  const { waitUntil } = context;
  // With its own `this`, which Workers require.
  return typeof waitUntil === 'function' ? (work) => void waitUntil.call(context, work) : undefined;
}

/** Keeps the host going until the returned function is called. */
function holdHost(waitUntil: WaitUntil): () => void {
  let end = (): void => undefined;
  waitUntil(new Promise<void>((resolve) => void (end = resolve)));
  return end;
}

/** Yields the body of a request, and releases the body when its reader leaves. */
async function* openBody({ body, bodyUsed, headers }: Request, limitBytes: number): AsyncGenerator<Uint8Array> {
  if (bodyUsed || body?.locked === true) {
    // No 5xx, because it is permanent.
    throw new GatewayError('unprocessable', 'The application read the body; pass request.clone() to one of the two');
  }
  const tooLarge = (): GatewayError =>
    new GatewayError('payload_too_large', `The body is larger than ${limitBytes} bytes`);
  if (Number(headers.get('content-length') ?? 0) > limitBytes) throw tooLarge();
  const reader = body?.getReader();
  let total = 0;
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      total += next.value.byteLength;
      if (total > limitBytes) throw tooLarge();
      yield next.value;
    }
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    // An upload breaks off because its client does; not every host aborts the signal of its request then.
    throw new GatewayError('client_closed_request', 'The request body was cut off before its end', { cause });
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}

function toResponse({ status, headers, body }: GatewayResponse, onEnd?: () => void): Response {
  // The status 499 means that the client has disconnected; some hosts refuse statuses that they do not know.
  const init = { status: status === 499 ? 400 : status, headers };
  if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) {
    return new Response(toReadableStream(body, { onEnd }), init);
  }
  onEnd?.();
  return new Response(body instanceof Uint8Array ? new Uint8Array(body) : body, init);
}
