import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

import { GatewayError } from '@model-gateway/core';
import ipaddr from 'ipaddr.js';

import { createRepeatedHeaderFinder, SINGLE_HEADERS } from './find-repeated-header.ts';

export interface GuardOptions {
  /** The address that the server listens on. */
  readonly host: string;
  /** Whether only known `Host` values are served, which keeps out DNS rebinding. */
  readonly onlyKnownHosts: boolean;
  readonly port: number;
  readonly publicUrl: string | null;
  /** Further names under which clients may reach the gateway, without a port. */
  readonly allowedHosts: readonly string[];
  /** Web origins whose pages may call the gateway. */
  readonly allowedOrigins: readonly string[];
}

export interface RequestGuard {
  /**
   * Throws the error for a request that must not be processed any further. One with the whole address as its target gets
   * the path of it, and its host.
   */
  check(request: IncomingMessage): void;
  /** CORS headers for a request from an allowed origin; undefined for all others. */
  corsHeaders(request: IncomingMessage): Record<string, string> | undefined;
}

/** Node drops headers beyond 1,000 without an error; a regular client sends less than a tenth of that. */
const MAX_HEADERS = 200;
const findRepeatedHeader = createRepeatedHeaderFinder(SINGLE_HEADERS);
const STATE_CHANGING: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Creates the checks that come before authentication and before any body is read. */
export function createRequestGuard(options: GuardOptions): RequestGuard {
  const hosts = options.onlyKnownHosts ? toAllowedHosts(options) : null;
  const origins = new Set(options.allowedOrigins.map((origin) => origin.toLowerCase()));
  if (options.publicUrl !== null) origins.add(new URL(options.publicUrl).origin);

  const isAllowedOrigin = (request: IncomingMessage): boolean => {
    const origin = request.headers.origin?.toLowerCase();
    return origin === undefined || origins.has(origin) || isOwnOrigin(origin, request.headers.host);
  };

  let servedHost: string | undefined;

  return {
    check(request) {
      refuseOddHeaders(request.rawHeaders);
      if (request.url?.startsWith('/') === false) toOriginForm(request);
      const { host } = request.headers;
      // The value nearly always equals that of the request before, which need not be parsed again.
      if (host === undefined || host !== servedHost) {
        refuseOtherHosts(host?.toLowerCase(), hosts);
        servedHost = host;
      }
      if (STATE_CHANGING.has(request.method ?? '') && !isAllowedOrigin(request)) {
        throw new GatewayError(
          'permission_denied',
          'Pages of this origin may not call the gateway; the operator can list it in server.allowedOrigins',
        );
      }
    },
    corsHeaders(request) {
      const { origin } = request.headers;
      if (origin === undefined || !origins.has(origin.toLowerCase())) return undefined;
      return {
        'access-control-allow-origin': origin,
        'access-control-expose-headers':
          'x-generation-id, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset',
        vary: 'origin',
      };
    },
  };
}

const ABSOLUTE_FORM = /^https?:\/\/(?<host>[^/?#@]+)(?<path>[/?].*)?$/i;

/**
 * Takes a target in absolute form (`GET http://host/path`; RFC 9112, 3.2.2) apart. Clients have to name the same host in
 * the Host header (3.2); a request that names two is refused, because a proxy before the gateway may go by either.
 */
function toOriginForm(request: IncomingMessage): void {
  const { host, path = '/' } = ABSOLUTE_FORM.exec(request.url ?? '')?.groups ?? {};
  if (host === undefined) return;
  const named = request.headers.host;
  // HTTP/1.1 requires the header all the same; the check of hosts refuses a request without it.
  if (named === undefined && request.httpVersion !== '1.0') return;
  if (named !== undefined && named.toLowerCase() !== host.toLowerCase()) {
    throw new GatewayError('invalid_request', 'The target of the request and its Host header name different hosts');
  }
  request.headers.host = host;
  request.url = path.startsWith('/') ? path : `/${path}`;
}

function refuseOtherHosts(host: string | undefined, hosts: ReadonlySet<string> | null): void {
  if (host === undefined || !/^(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?$/.test(host)) {
    throw new GatewayError('invalid_request', 'The Host header is missing or malformed');
  }
  if (hosts !== null && !hosts.has(host)) {
    throw new GatewayError(
      'permission_denied',
      'This Host is not served here; the operator can list it in server.publicUrl',
    );
  }
}

function refuseOddHeaders(rawHeaders: readonly string[]): void {
  if (rawHeaders.length > MAX_HEADERS * 2) {
    throw new GatewayError('headers_too_large', `More than ${MAX_HEADERS} headers`);
  }
  const repeated = findRepeatedHeader(rawHeaders);
  if (repeated === undefined) return;
  const code = repeated === 'authorization' ? 'authentication' : 'invalid_request';
  throw new GatewayError(code, `The ${repeated} header is given twice`);
}

/**
 * Returns the exact values of `Host` that stand for this gateway. A request with any other value was directed to this
 * port under a name that the gateway does not have.
 */
function toAllowedHosts({ host, port, publicUrl, allowedHosts }: GuardOptions): ReadonlySet<string> {
  const own = new Set(['localhost', '127.0.0.1', '[::1]', isIP(host) === 6 ? `[${host}]` : host.toLowerCase()]);
  const hosts = new Set([...own].map((name) => `${name}:${port}`));
  // Health checks and proxies leave the port out; no page can make its name lead here by these.
  for (const name of own) hosts.add(name);
  for (const name of allowedHosts) hosts.add(name.toLowerCase()).add(`${name.toLowerCase()}:${port}`);
  if (publicUrl !== null) hosts.add(new URL(publicUrl).host);
  return hosts;
}

const isOwnOrigin = (origin: string, host: string | undefined): boolean =>
  host !== undefined && (origin === `http://${host.toLowerCase()}` || origin === `https://${host.toLowerCase()}`);

/** Whether an address to listen on can only be reached from this machine. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback');
}
