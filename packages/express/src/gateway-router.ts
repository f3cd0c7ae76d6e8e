import type { ServerResponse } from 'node:http';

import {
  DEFAULT_BODY_LIMIT_BYTES,
  DEFAULT_TIMEOUTS,
  type Gateway,
  GatewayError,
  type GatewayResponse,
  type Principal,
  type Surface,
  toErrorResponse,
} from '@model-gateway/core';
import { type WriteOptions, writeResponse } from '@model-gateway/node';

import type { ExpressRequest, Next } from './express-request.ts';
import { createPassthrough, type PassthroughOptions } from './passthrough.ts';
import { toMountedRequest } from './to-mounted-request.ts';

export interface GatewayRouterOptions<Request extends ExpressRequest = ExpressRequest> {
  /** Sends paths below `/api/v1` that the gateway does not have to another gateway. Off by default. */
  readonly passthrough?: PassthroughOptions | undefined;
  /** Routes to offer beside the API. Default: none. */
  readonly expose?: readonly Exclude<Surface, 'api'>[] | undefined;
  /**
   * The host's own authentication, which replaces the gateway's keys; null leads to a 401. Not called for health checks
   * and the OpenAPI document. Its errors go to the host's error handler.
   */
  readonly authenticate?: ((request: Request) => Principal | null | Promise<Principal | null>) | undefined;
  /** Limit of a body in bytes. Default 32 MiB. A parser that runs before the gateway has its own limit. */
  readonly bodyLimitBytes?: number | undefined;
  /** Time in which a client must read pending data before its connection is closed. Default two minutes. */
  readonly clientWriteTimeoutMs?: number | undefined;
}

/** Fits `app.use` of Express 4 and 5. */
export type GatewayRouter<Request extends ExpressRequest = ExpressRequest> = (
  request: Request,
  response: ServerResponse,
  next: Next,
) => void;

/**
 * Mounts a gateway into Express: `app.use('/ai', gatewayRouter(gateway))` serves `/ai/api/v1/…`. Requests that match no
 * route go to the host through `next()`; it may parse bodies earlier. The caller starts and closes the gateway.
 */
export function gatewayRouter<Request extends ExpressRequest = ExpressRequest>(
  gateway: Gateway,
  options: GatewayRouterOptions<Request> = {},
): GatewayRouter<Request> {
  const { authenticate } = options;
  const surfaces: readonly Surface[] = ['api', ...(options.expose ?? [])];
  const bodyLimitBytes = options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES;
  const passthrough = options.passthrough && createPassthrough(options.passthrough);
  const write: WriteOptions = {
    clientWriteTimeoutMs: options.clientWriteTimeoutMs ?? DEFAULT_TIMEOUTS.clientWriteMs,
  };

  /** Undefined: the gateway authenticates; null: refused. */
  const askHost = async (request: Request, path: string): Promise<Principal | null | undefined> => {
    const method = request.method ?? '';
    if (authenticate === undefined || gateway.matches(method, path, ['health', 'openapi'])) return undefined;
    const principal = await authenticate(request);
    // For these the gateway itself decides whether a key is needed.
    return principal ?? (gateway.matches(method, path, ['metrics']) ? undefined : null);
  };

  const respond = async (request: Request, response: ServerResponse, path: string): Promise<void> => {
    const principal = await askHost(request, path);
    if (isResponded(response)) return;
    if (principal === null) return refuse(response, new GatewayError('authentication', 'Not authenticated'));
    const mounted = toMountedRequest(request, response, { bodyLimitBytes, principal });
    const result = await gateway.handle(mounted);
    // The host may have responded meanwhile, for instance after a time limit.
    if (response.headersSent) return discard(result);
    await writeResponse(response, result, write);
  };

  const forward = async (request: Request, response: ServerResponse, path: string): Promise<void> => {
    const principal = await askHost(request, path);
    if (isResponded(response)) return;
    try {
      if (principal === null) throw new GatewayError('authentication', 'Not authenticated');
      // The upstream key is only for callers that the gateway has authenticated.
      if (options.passthrough?.apiKey !== undefined) {
        await gateway.authenticate(toMountedRequest(request, response, { bodyLimitBytes, principal }));
      }
      await passthrough?.forward(request, response);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      if (!isResponded(response)) await refuse(response, error);
    }
  };

  const refuse = (response: ServerResponse, error: GatewayError): Promise<void> | undefined =>
    writeResponse(response, toErrorResponse(error), write);

  return (request, response, next) => {
    const path = pathOf(request);
    const isOurs = gateway.matches(request.method ?? '', path, surfaces);
    if (!isOurs && passthrough?.accepts(path) !== true) return next();
    const serve = isOurs ? respond : forward;
    const onFailure = (error: unknown): void => {
      if (response.headersSent) response.destroy();
      else next(error);
    };
    serve(request, response, path).catch(onFailure);
  };
}

function pathOf({ url = '/' }: ExpressRequest): string {
  const queryAt = url.indexOf('?');
  return queryAt === -1 ? url : url.slice(0, queryAt);
}

/** Whether no response can be sent any more: the client has left, or the host has responded. */
const isResponded = (response: ServerResponse): boolean =>
  response.headersSent || response.closed || response.destroyed;

/** Ends a streamed response without a reader, and with it the call upstream. */
async function discard({ body }: GatewayResponse): Promise<void> {
  if (typeof body === 'object' && body !== null && Symbol.asyncIterator in body) {
    await body[Symbol.asyncIterator]().return?.();
  }
}
