import type { Platform } from './platform.ts';

const HEX_DIGITS = '0123456789abcdef';
const HEX_CODES = Array.from(HEX_DIGITS, (digit) => digit.charCodeAt(0));

/** Used again for every id. */
const codes: number[] = Array.from({ length: 32 }, () => 0);

/** 128 random bits in lower-case hex, which cannot be guessed. */
export function createRandomId(platform: Pick<Platform, 'randomBytes'>): string {
  const bytes = platform.randomBytes(16);
  for (let i = 0; i < 16; i += 1) {
    const byte = bytes[i] as number;
    codes[i * 2] = HEX_CODES[byte >> 4] as number;
    codes[i * 2 + 1] = HEX_CODES[byte & 15] as number;
  }
  // Not added up piece by piece: that makes a tree of strings, which its first use as a key has to flatten.
  return String.fromCharCode(...codes);
}

/** The id of a generation: sortable by second, unguessable by its random part. */
export function createGenerationId(platform: Pick<Platform, 'randomBytes' | 'now'>): string {
  return `gen-${Math.floor(platform.now() / 1000)}-${createRandomId(platform)}`;
}

/** A random UUID (version 4), lower-case. */
export function createUuid(platform: Pick<Platform, 'randomBytes'>): string {
  const hex = createRandomId(platform);
  const variant = HEX_DIGITS[8 | (parseInt(hex.charAt(16), 16) & 3)];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
