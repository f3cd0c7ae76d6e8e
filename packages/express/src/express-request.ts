import type { IncomingMessage } from 'node:http';

import { isLoopbackHost } from '@model-gateway/node';

/**
 * The part of Express's request that the adapter uses. Described by its shape, so that Express 4 and 5 both fit and
 * neither is required for the types of this package.
 */
export interface ExpressRequest extends IncomingMessage {
  /** The path at which the router is mounted; empty at the root. */
  readonly baseUrl: string;
  /** Result of an earlier body parser; parsers of Express 4 leave `{}` for bodies that they did not read. */
  readonly body?: unknown;
  /** Both according to `trust proxy`. */
  readonly protocol: string;
  readonly ip?: string | undefined;
  readonly app: { get(name: string): unknown };
}

/** Express's `next`: without an error, the request goes to the next handler of the host. */
export type Next = (error?: unknown) => void;

/** The origin that the client used. Express's `hostname` drops the port, so its rule is applied again with it. */
export function originOf(request: ExpressRequest): string {
  const trusts = request.app.get('trust proxy fn');
  const isTrusted = typeof trusts === 'function' && Boolean(trusts(request.socket.remoteAddress, 0));
  const forwarded = isTrusted ? [request.headers['x-forwarded-host']].flat()[0]?.split(',')[0]?.trim() : undefined;
  return `${request.protocol}://${forwarded || (request.headers.host ?? 'localhost')}`;
}

/**
 * The caller's address according to `trust proxy`. A loopback address gives access to what is meant for this machine
 * alone, so it is not trusted for a request that came through a proxy: the proxy may run here, and its client anywhere.
 * Undefined where it is not known.
 */
export function remoteAddressOf({ ip, headers }: ExpressRequest): string | undefined {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined;
  return ip !== undefined && isForwarded && isLoopbackHost(ip) ? undefined : ip;
}
