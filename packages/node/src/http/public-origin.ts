import type { IncomingMessage } from 'node:http';

import ipaddr from 'ipaddr.js';

import { isLoopbackHost } from './guard-request.ts';

export interface PublicOriginOptions {
  readonly publicUrl: string | null;
  /** Addresses or CIDR ranges of proxies whose forwarded headers are trusted. */
  readonly trustedProxies: readonly string[];
}

/** A request as seen from outside: the origin that its client used, and the address that it came from. */
export interface PublicView {
  originOf(request: IncomingMessage): string;
  clientAddressOf(request: IncomingMessage): string | undefined;
}

/** Reads forwarded headers from trusted proxies only. Throws `RangeError` for an invalid range. */
export function createPublicView({ publicUrl, trustedProxies }: PublicOriginOptions): PublicView {
  const ranges = trustedProxies.map(parseRange);
  const configured = publicUrl?.replace(/\/+$/, '');
  const isTrusted = (address: string | undefined): boolean => {
    if (ranges.length === 0 || address === undefined || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits));
  };
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
