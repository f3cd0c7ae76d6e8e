import { isIP } from 'node:net';

import ipaddr from 'ipaddr.js';

export interface UrlRules {
  readonly schemes: readonly ('https' | 'http')[];
  /** Whether loopback, private ranges and local names are admitted too. */
  readonly allowPrivateNetwork: boolean;
}

const MAX_URL_LENGTH = 2048;
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443]);
/** Ports of services that listen on high ports and could be misused by an HTTP request. */
const SERVICE_PORTS: ReadonlySet<number> = new Set([
  1433, 1521, 1723, 2049, 2375, 2376, 2379, 3306, 3389, 3659, 4190, 5060, 5061, 5432, 5672, 5900, 5984, 6000, 6379,
  6443, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 9042, 9092, 9200, 9300, 10080, 10250, 11211, 27017,
]);
/** Names that stand for this machine or network wherever they are resolved (RFC 6761, 6762, 8375, 9476). */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa|onion|test|invalid|alt)$/;

/**
 * Why a URL from a caller or an upstream may never be called, in a message for its author; undefined when no problem
 * is known so far. Names are not resolved here, but by `createGuardedTransport` when it calls.
 */
export function findUrlProblem(text: string, rules: UrlRules): string | undefined {
  if (text.length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters`;
  const url = URL.parse(text);
  if (url === null) return 'must be an absolute URL';
  const scheme = url.protocol.slice(0, -1);
  if (!rules.schemes.some((allowed) => allowed === scheme)) return `must begin with ${listSchemes(rules.schemes)}`;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  // Letters that look alike would let one host be mistaken for another.
  if (/[^\x21-\x7e]/.test(/^[a-z]+:[/\\]*([^/\\?#]*)/i.exec(text)?.[1] ?? '')) {
    return 'must be written in ASCII; a name in other letters in its "xn--" form';
  }
  const port = Number(url.port || (scheme === 'https' ? 443 : 80));
  if ((port < 1024 && !WEB_PORTS.has(port)) || SERVICE_PORTS.has(port)) return `must not use port ${port}`;
  if (rules.allowPrivateNetwork) return undefined;
  const host = hostOf(url);
  if (isIP(host) !== 0) return isPublicAddress(host) ? undefined : 'must lead to a public address';
  const name = host.replace(/\.$/, '');
  return LOCAL_NAME.test(name) || !name.includes('.') ? 'must lead to a public host' : undefined;
}

/** Returns the host without the brackets of an IPv6 address. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

const listSchemes = (schemes: UrlRules['schemes']): string => schemes.map((scheme) => `${scheme}://`).join(' or ');

/**
 * The ranges that the registries of special-purpose addresses list and that `ipaddr.js` treats as ordinary ones, or
 * that embed an IPv4 address: a caller that can choose the embedded address would reach it through them.
 */
const FURTHER_RANGES = ['64:ff9b:1::/48', '2001::/23', '3fff::/20', '5f00::/16'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);
/**
 * The range of all addresses assigned on the public internet so far; outside are mapped, embedded, local and undefined
 * addresses.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether a text is an address (without brackets) on the public internet: not private, local, reserved, for
 * documentation, benchmark or multicast, and embedding no other address (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string): boolean {
  // A zone names a link of this machine.
  if (text.includes('%') || !ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv4') return true;
  const six = address as ipaddr.IPv6;
  return six.match(GLOBAL_UNICAST) && !FURTHER_RANGES.some((range) => six.match(range));
}
