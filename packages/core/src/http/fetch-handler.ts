import type { Surface } from './route.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { GatewayRequest } from './request.ts';
import { type GatewayResponse, toErrorResponse } from './response.ts';

/** What the handler needs of a gateway. */
interface FetchedGateway {
  handle(request: GatewayRequest): Promise<GatewayResponse>;
  matches(method: string, path: string, surfaces: readonly Surface[]): boolean;
}

export interface FetchHandlerOptions {
  /** Where the gateway is mounted, e.g. `/ai`; requests elsewhere are answered 404. Default: the root. */
  readonly mountPath?: string | undefined;
  /** Routes to offer beside the API; others are answered 404. Default: none. */
  readonly expose?: readonly Exclude<Surface, 'api'>[] | undefined;
  /** Largest body in bytes. Default 32 MiB. */
  readonly bodyLimitBytes?: number | undefined;
  /** The caller as the host knows it; the key in the headers is then not looked at. */
  readonly principalOf?: ((request: Request) => GatewayRequest['principal']) | undefined;
}

const BESIDE_API: readonly Exclude<Surface, 'api'>[] = ['health', 'metrics', 'openapi', 'admin'];
const DEFAULT_BODY_LIMIT_BYTES = 32 * 1024 * 1024;

/**
 * Adapts a gateway to the web-standard signature of Hono, Next.js, Deno and Workers. Costs about twice the CPU of the
 * plain handler, so hosts on Node with a choice use `listen` or the Express adapter.
 */
export function toFetchHandler(
  gateway: FetchedGateway,
  options: FetchHandlerOptions = {},
): (request: Request) => Promise<Response> {
  const mountPath = (options.mountPath ?? '').replace(/\/+$/, '');
  const hidden = BESIDE_API.filter((surface) => options.expose?.includes(surface) !== true);
  const limitBytes = options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES;
  return async (request) => {
    const url = new URL(request.url);
    const path = url.pathname.slice(mountPath.length);
    const isElsewhere = mountPath !== '' && !url.pathname.startsWith(`${mountPath}/`);
    if (isElsewhere || gateway.matches(request.method, path, hidden)) {
      return toResponse(toErrorResponse(new GatewayError('not_found', 'There is nothing at this path')));
    }
    const answer = await gateway.handle({
      method: request.method,
      path,
      query: url.search.slice(1),
      headers: Object.fromEntries(request.headers),
      readBody: () => readBody(request, limitBytes).catch(toUploadError(request)),
      signal: request.signal,
      baseUrl: url.origin + mountPath,
      principal: options.principalOf?.(request),
    });
    return toResponse(answer);
  };
}

/** An upload breaks off when its client leaves; that is no failure of the gateway's. */
const toUploadError =
  (request: Request) =>
  (cause: unknown): never => {
    if (cause instanceof GatewayError || !request.signal.aborted) throw cause;
    throw new GatewayError('client_closed_request', 'The client closed the request', { cause });
  };

async function readBody(request: Request, limitBytes: number): Promise<Uint8Array> {
  const tooLarge = (): GatewayError =>
    new GatewayError('payload_too_large', `The body is larger than ${limitBytes} bytes`);
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) throw tooLarge();
  const pieces: Uint8Array[] = [];
  let total = 0;
  const reader = request.body?.getReader();
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    total += next.value.byteLength;
    pieces.push(next.value);
    if (total > limitBytes) {
      await reader?.cancel();
      throw tooLarge();
    }
  }
  return concat(pieces, total);
}

function concat(pieces: readonly Uint8Array[], total: number): Uint8Array {
  const whole = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

function toResponse({ status, headers, body }: GatewayResponse): Response {
  // 499 tells that the client has gone; some hosts refuse statuses that they do not know.
  const init = { status: status === 499 ? 400 : status, headers };
  if (body === null || typeof body === 'string') return new Response(body, init);
  return new Response(body instanceof Uint8Array ? new Uint8Array(body) : toReadableStream(body), init);
}

/** Pulls only as the reader asks, and tells the gateway when the reader has gone. */
function toReadableStream(body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
