import type { Platform } from './platform.ts';

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** 128 random bits in lower-case hex, which cannot be guessed. */
export function createRandomId(platform: Pick<Platform, 'randomBytes'>): string {
  let id = '';
  for (const byte of platform.randomBytes(16)) id += HEX[byte];
  return id;
}

/** The id of a generation: sortable by second, unguessable by its random part. */
export function createGenerationId(platform: Pick<Platform, 'randomBytes' | 'now'>): string {
  return `gen-${Math.floor(platform.now() / 1000)}-${createRandomId(platform)}`;
}

/** A random UUID (version 4), lower-case. */
export function createUuid(platform: Pick<Platform, 'randomBytes'>): string {
  const hex = createRandomId(platform);
  const variant = HEX[0x80 | (parseInt(hex.slice(16, 18), 16) & 0x3f)];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20)}`;
}
