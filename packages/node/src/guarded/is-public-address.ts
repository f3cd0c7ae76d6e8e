import ipaddr from 'ipaddr.js';

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
