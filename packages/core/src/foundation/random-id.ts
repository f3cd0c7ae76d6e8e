import type { Platform } from './platform.ts';

const HEX_DIGITS = '0123456789abcdef';
const HEX_CODES = Array.from(HEX_DIGITS, (digit) => digit.charCodeAt(0));

/**
 * Ids in the making, used again for every one. As codes: added up piece by piece, an id would be a tree of strings, which
 * its first use as a key has to flatten.
 */
const randomCodes: number[] = [];
let generationCodes: number[] = [];
let generationPrefix: readonly number[] = [];
let generationSecond = -1;

/** 128 random bits in lower-case hex, which cannot be guessed. */
export function createRandomId(platform: Pick<Platform, 'randomBytes'>): string {
  putRandom(randomCodes, 0, platform);
  return String.fromCharCode(...randomCodes);
}

/** The id of a generation: sortable by second, unguessable by its random part. */
export function createGenerationId(platform: Pick<Platform, 'randomBytes' | 'now'>): string {
  const second = Math.floor(platform.now() / 1000);
  if (second !== generationSecond) {
    generationSecond = second;
    generationPrefix = Array.from(`gen-${second}-`, (character) => character.charCodeAt(0));
    generationCodes = [...generationPrefix];
  }
  putRandom(generationCodes, generationPrefix.length, platform);
  return String.fromCharCode(...generationCodes);
}

function putRandom(codes: number[], at: number, platform: Pick<Platform, 'randomBytes'>): void {
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
