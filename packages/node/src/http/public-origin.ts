import type { IncomingMessage } from 'node:http';

import ipaddr from 'ipaddr.js';

export interface PublicOriginOptions {
  readonly publicUrl: string | null;
  /** Addresses or CIDR ranges of proxies whose forwarded headers are trusted. */
  readonly trustedProxies: readonly string[];
  readonly isTls?: boolean | undefined;
}

/** A request as seen from outside: the origin that its client used, and the address that it came from. */
export interface PublicView {
  originOf(request: IncomingMessage): string;
  clientAddressOf(request: IncomingMessage): string | undefined;
}

/** Reads forwarded headers from trusted proxies only. Throws `RangeError` for an invalid range. */
export function createPublicView({ publicUrl, trustedProxies, isTls }: PublicOriginOptions): PublicView {
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
      const protocol = firstOf(forwarded['x-forwarded-proto']) ?? (isTls === true ? 'https' : 'http');
      const host = firstOf(forwarded['x-forwarded-host']) ?? request.headers.host ?? 'localhost';
      return `${protocol === 'https' ? 'https' : 'http'}://${host}`;
    },
    clientAddressOf(request) {
      const direct = request.socket.remoteAddress;
      if (!isTrusted(direct)) return isForwarded(request) ? undefined : direct;
      const hops = [request.headers['x-forwarded-for']].flat().join(',').split(',');
      // The search goes from the right: the first address that is not a trusted proxy is the last one that a client
      // could not have forged.
      return hops.map((hop) => hop.trim()).findLast((hop) => ipaddr.isValid(hop) && !isTrusted(hop)) ?? direct;
    },
  };
}

/**
 * Returns whether a proxy declares that it forwarded the request. The proxy's own address, often loopback, must not be
 * used as the client's.
 */
function isForwarded({ headers }: IncomingMessage): boolean {
  return headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined;
}

function parseRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes('/') && ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (ipaddr.isValid(text)) {
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  throw new RangeError(`"${text}" is neither an address nor a CIDR range`);
}
