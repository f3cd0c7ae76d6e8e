import type { IncomingMessage, ServerResponse } from 'node:http';

import { type Authenticate, type Gateway, GatewayError, type Logger } from '@model-gateway/core';

import { createPublicView } from '../http/public-origin.ts';
import { findPlace } from './find-place.ts';
import { createMountedGateway, type MountOptions } from './mounted-gateway.ts';

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
  const view = createPublicView({
    publicUrl: options.publicOrigin ?? null,
    trustedProxies: options.trustedProxies ?? [],
  });

  return (request, response, next) => {
    const place = findPlace(request, mountPath);
    const isOurs = place !== undefined && mounted.offers(request.method, place.path);
    if (!isOurs && next !== undefined) return next();
    // The gateway itself responds to paths and methods that it does not know, but it knows routes that are not exposed.
    const isHidden = !isOurs && gateway.authOf(request.method ?? 'GET', place?.path ?? '/') !== undefined;
    const serving =
      place === undefined || isHidden
        ? mounted.refuse(response, new GatewayError('not_found', 'There is nothing at this path'))
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
