import type { Platform } from './platform.ts';

const BITS = 32;
const DIGITS = Math.ceil(BITS / Math.log2(36));

/** 128 random bits as letters and digits, which cannot be guessed. */
export function createRandomId(platform: Pick<Platform, 'randomBytes'>): string {
  const { buffer, byteOffset } = platform.randomBytes(16);
  const bytes = new DataView(buffer, byteOffset);
  let id = '';
  for (let at = 0; at < 16; at += 4) id += bytes.getUint32(at).toString(36).padStart(DIGITS, '0');
  return id;
}

/** The id of a generation: sortable by second, unguessable by its random part. */
export function createGenerationId(platform: Pick<Platform, 'randomBytes' | 'now'>): string {
  return `gen-${Math.floor(platform.now() / 1000)}-${createRandomId(platform)}`;
}
