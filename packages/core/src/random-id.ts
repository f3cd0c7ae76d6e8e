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
