/** A random-looking number above 0 and below 1 for a text. For spreading load, never where forgery matters. */
export function hashToUnit(text: string): number {
  // Two 32-bit multiplicative hashes side by side (the public-domain cyrb53), of which 53 bits make a number.
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  const bits = 4294967296 * (2097151 & low) + (high >>> 0);
  return (bits + 0.5) / 2 ** 53;
}
