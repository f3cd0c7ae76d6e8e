import type { ServerResponse } from 'node:http';

import { type Authenticate, type Gateway, GatewayError, type Principal } from '@model-gateway/core';
import { createMountedGateway, type MountedRequestOptions, type MountOptions } from '@model-gateway/node';

import { type ExpressRequest, type Next, originOf, remoteAddressOf } from './express-request.ts';
import { createPassthrough, type PassthroughOptions } from './passthrough.ts';

export interface GatewayRouterOptions<Request extends ExpressRequest = ExpressRequest> extends MountOptions {
  /** Sends paths below `/api/v1` that the gateway does not have to another gateway. Off by default. */
  readonly passthrough?: PassthroughOptions | undefined;
  /**
   * The host's own sign-in, in place of the gateway's keys; null leads to a 401. Not called for health checks and the
   * OpenAPI document. What it throws goes to the host's error handler.
   */
  readonly authenticate?: Authenticate<Request> | undefined;
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
  const mounted = createMountedGateway(gateway, options);
  const has = (path: string): boolean => METHODS.some((method) => mounted.offers(method, path));
  const passthrough = options.passthrough && createPassthrough(options.passthrough, has);

  const toOptions = (
    request: ExpressRequest,
    signIn: MountedRequestOptions['authenticate'],
  ): MountedRequestOptions => ({
    url: mounted.urlOf(request),
    mountPath: request.baseUrl,
    originOf: () => originOf(request),
    remoteAddress: remoteAddressOf(request),
    authenticate: signIn,
  });

  /** Asked before the gateway is, so that what the host throws reaches its error handler. */
  const askHost = async (request: Request, path: string): Promise<MountedRequestOptions['authenticate']> => {
    if (authenticate === undefined || gateway.matches(request.method ?? '', path, ['health', 'openapi'])) {
      return undefined;
    }
    const principal = await authenticate(request);
    return () => principal;
  };

  const respond = async (request: Request, response: ServerResponse, path: string): Promise<void> => {
    const signIn = await askHost(request, path);
    if (!isResponded(response)) await mounted.serve(request, response, toOptions(request, signIn));
  };

  const forward = async (request: Request, response: ServerResponse, path: string): Promise<void> => {
    const signIn = await askHost(request, path);
    if (isResponded(response)) return;
    try {
      // The upstream key is only for callers that the gateway has authenticated.
      if (signIn !== undefined || options.passthrough?.apiKey !== undefined) {
        const principal = await gateway.authenticate(mounted.toRequest(request, response, toOptions(request, signIn)));
        if (options.passthrough?.apiKey !== undefined) refuseRole(principal);
      }
      await passthrough?.forward(request, response);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      if (!isResponded(response)) await mounted.refuse(request, response, error);
    }
  };

  return (request, response, next) => {
    const path = withoutQuery(mounted.urlOf(request));
    const isOurs = mounted.offers(request.method, path);
    if (!isOurs && passthrough?.accepts(path) !== true) return next();
    const serve = isOurs ? respond : forward;
    const onFailure = (error: unknown): void => {
      if (response.headersSent) response.destroy();
      else next(error);
    };
    serve(request, response, path).catch(onFailure);
  };
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The key of the operator makes calls, so who makes none here must not use it either. */
function refuseRole({ member }: Principal): void {
  if (member === undefined || (member.role !== 'billing' && member.role !== 'viewer')) return;
  throw new GatewayError(
    'permission_denied',
    `Calls need the role owner, administrator or developer; yours is ${member.role}. Ask an administrator of the organization`,
  );
}

function withoutQuery(url: string): string {
  const queryAt = url.indexOf('?');
  return queryAt === -1 ? url : url.slice(0, queryAt);
}

/** Whether no response can be sent any more: the client has left, or the host has responded. */
const isResponded = (response: ServerResponse): boolean =>
  response.headersSent || response.closed || response.destroyed;
