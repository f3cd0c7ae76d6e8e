import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

import { GatewayError } from '@model-gateway/core';
import ipaddr from 'ipaddr.js';

/** The headers whose first value one parser might use and whose second value another, spelled as clients spell them. */
export const SINGLE_HEADERS: readonly string[] = ['Host', 'Authorization', 'Content-Length', 'Content-Type', 'Origin'];

interface SingleHeader {
  readonly title: string;
  readonly name: string;
  readonly bit: number;
}

/**
 * Creates the search for a header that may occur only once and occurs twice, in the list of names and values that Node
 * provides. The search returns the lower-case name of the first such header, or undefined. It runs for every request.
 */
export function createRepeatedHeaderFinder(
  titles: readonly string[],
): (rawHeaders: readonly string[]) => string | undefined {
  const byLength = groupByLength(titles);
  return (rawHeaders) => {
    let seen = 0;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const raw = rawHeaders[i] as string;
      const candidates = byLength[raw.length];
      if (candidates === undefined) continue;
      for (const { title, name, bit } of candidates) {
        if (raw !== title && raw !== name && raw.toLowerCase() !== name) continue;
        if ((seen & bit) !== 0) return name;
        seen |= bit;
      }
    }
    return undefined;
  };
}

/** Nearly every other header is excluded by its length alone. Several of these headers may have the same length. */
function groupByLength(titles: readonly string[]): readonly (readonly SingleHeader[])[] {
  const longest = Math.max(...titles.map(({ length }) => length));
  const headers = titles.map((title, index) => ({ title, name: title.toLowerCase(), bit: 1 << index }));
  return Array.from({ length: longest + 1 }, (_, length) => headers.filter(({ title }) => title.length === length));
}

/** How clients reach a gateway. */
export interface ReachOptions {
  /** The address under which clients reach the gateway, where it differs from the one listened on. */
  readonly publicUrl?: string | null | undefined;
  /** Known names besides those of loopback and of `publicUrl`, without a port. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Web origins whose pages may call the gateway. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Addresses or CIDR ranges of proxies whose forwarded headers are trusted. */
  readonly trustedProxies?: readonly string[] | undefined;
}

interface GuardOptions extends Omit<ReachOptions, 'trustedProxies'> {
  /** The address that the server listens on. */
  readonly host: string;
  /** Whether only known `Host` values are served, which keeps out DNS rebinding. */
  readonly onlyKnownHosts: boolean;
  readonly port: number;
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
  const { publicUrl, allowedOrigins = [] } = options;
  const hosts = options.onlyKnownHosts ? toAllowedHosts(options) : null;
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  if (publicUrl != null) origins.add(new URL(publicUrl).origin);

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
          'x-request-id, x-generation-id, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset',
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
  const target = parseAbsoluteForm(request.url ?? '');
  if (target === null) return;
  const named = request.headers.host;
  // HTTP/1.1 requires the header all the same; the check of hosts refuses a request without it.
  if (named === undefined && request.httpVersion !== '1.0') return;
  if (named !== undefined && !isSameHost(named, target.host)) {
    throw new GatewayError('invalid_request', 'The target of the request and its Host header name different hosts');
  }
  request.headers.host = target.host;
  request.url = target.path;
}

/**
 * Path and query of a target that a host passes on as it came. One in absolute form that names another host than the
 * Host header stays as it is, and so matches no route.
 */
export function toOwnPath(url: string, { host }: IncomingMessage['headers']): string {
  if (url.startsWith('/')) return url;
  const target = parseAbsoluteForm(url);
  return target !== null && host !== undefined && isSameHost(host, target.host) ? target.path : url;
}

function parseAbsoluteForm(url: string): { readonly host: string; readonly path: string } | null {
  const { host, path = '/' } = ABSOLUTE_FORM.exec(url)?.groups ?? {};
  return host === undefined ? null : { host, path: path.startsWith('/') ? path : `/${path}` };
}

const isSameHost = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

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
function toAllowedHosts({ host, port, publicUrl, allowedHosts = [] }: GuardOptions): ReadonlySet<string> {
  const own = new Set(['localhost', '127.0.0.1', '[::1]', isIP(host) === 6 ? `[${host}]` : host.toLowerCase()]);
  const hosts = new Set([...own].map((name) => `${name}:${port}`));
  // Health checks and proxies leave the port out; no page can make its name lead here by these.
  for (const name of own) hosts.add(name);
  for (const name of allowedHosts) hosts.add(name.toLowerCase()).add(`${name.toLowerCase()}:${port}`);
  if (publicUrl != null) hosts.add(new URL(publicUrl).host);
  return hosts;
}

const isOwnOrigin = (origin: string, host: string | undefined): boolean =>
  host !== undefined && (origin === `http://${host.toLowerCase()}` || origin === `https://${host.toLowerCase()}`);

/** Whether an address to listen on can only be reached from this machine. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback');
}

/** A request as seen from outside: the origin that its client used, and the address that it came from. */
interface PublicView {
  originOf(request: IncomingMessage): string;
  clientAddressOf(request: IncomingMessage): string | undefined;
}

/** Reads forwarded headers from trusted proxies only. Throws `RangeError` for an invalid range. */
export function createPublicView({ publicUrl, trustedProxies = [] }: ReachOptions): PublicView {
  const isTrusted = createAddressMatcher(trustedProxies);
  const configured = publicUrl?.replace(/\/+$/, '');
  const firstOf = (value: string | string[] | undefined): string | undefined =>
    (Array.isArray(value) ? value[0] : value)?.split(',')[0]?.trim();

  return {
    originOf(request) {
      if (configured !== undefined) return configured;
      const forwarded = isTrusted(request.socket.remoteAddress) ? request.headers : {};
      const protocol = firstOf(forwarded['x-forwarded-proto']) ?? ('encrypted' in request.socket ? 'https' : 'http');
      const host = firstOf(forwarded['x-forwarded-host']) ?? request.headers.host ?? 'localhost';
      return `${protocol === 'https' ? 'https' : 'http'}://${host}`;
    },
    clientAddressOf(request) {
      const direct = request.socket.remoteAddress;
      if (!isTrusted(direct)) return addressWithoutTrust(request);
      const hops = [request.headers['x-forwarded-for']].flat().join(',').split(',');
      // The search goes from the right: the first hop that is not a trusted proxy is the last one that a client could
      // not have forged.
      const client = hops.map(toHop).findLast((hop) => hop !== '' && !isTrusted(hop));
      if (client === undefined) return direct;
      return ipaddr.isValid(client) ? ipaddr.process(client).toString() : addressWithoutTrust(request);
    },
  };
}

/** Creates the question whether an address is in one of these ranges. Throws `RangeError` for an invalid range. */
export function createAddressMatcher(texts: readonly string[]): (address: string | undefined) => boolean {
  const ranges = texts.map(parseRange);
  return (address) => {
    if (ranges.length === 0 || address === undefined || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits));
  };
}

/** The address of a hop: some proxies write a port behind it. */
function toHop(text: string): string {
  const hop = text.trim();
  return /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
}

/**
 * The other side of the connection; undefined where that is on this machine and declares that it forwarded the request:
 * a loopback address gives access to what is meant for this machine alone, and the client may be anywhere.
 */
function addressWithoutTrust({ headers, socket: { remoteAddress } }: IncomingMessage): string | undefined {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined;
  return isForwarded && remoteAddress !== undefined && isLoopbackHost(remoteAddress) ? undefined : remoteAddress;
}

function parseRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes('/') && ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (ipaddr.isValid(text)) {
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  throw new RangeError(`"${text}" is neither an address nor a CIDR range`);
}
