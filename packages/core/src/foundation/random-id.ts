import type { Platform } from './platform.ts';

const HEX_DIGITS = '0123456789abcdef';
const HEX_CODES = Array.from(HEX_DIGITS, (digit) => digit.charCodeAt(0));

/** An id in the making, used again for every one. As codes: pieces added up would be a tree of strings, slow as a key. */
const randomCodes: number[] = [];

/** 128 random bits in lower-case hex, which cannot be guessed. */
export function createRandomId(platform: Pick<Platform, 'randomBytes'>): string {
  putRandomHex(randomCodes, 0, platform);
  return String.fromCharCode(...randomCodes);
}

/** Writes 128 random bits in lower-case hex, as 32 codes from `at` on. */
export function putRandomHex(codes: number[], at: number, platform: Pick<Platform, 'randomBytes'>): void {
  const bytes = platform.randomBytes(16);
  for (let i = 0; i < 16; i += 1) {
    const byte = bytes[i] as number;
    codes[at + i * 2] = HEX_CODES[byte >> 4] as number;
    codes[at + i * 2 + 1] = HEX_CODES[byte & 15] as number;
  }
}

/** A random UUID (version 4), lower-case. */
export function createUuid(platform: Pick<Platform, 'randomBytes'>): string {
  const hex = createRandomId(platform);
  const variant = HEX_DIGITS[8 | (parseInt(hex.charAt(16), 16) & 3)];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
