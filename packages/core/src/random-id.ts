import type { Platform } from './platform.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** `length` random letters and digits of 5 bits each; 26 of them cannot be guessed. */
export function createRandomId(platform: Pick<Platform, 'randomBytes'>, length: number): string {
  const characters = platform.randomBytes(length).map((byte) => ALPHABET.charCodeAt(byte & 31));
  return String.fromCharCode(...characters);
}

/** The id of a generation: sortable by second, unguessable by its 130 random bits. */
export function createGenerationId(platform: Pick<Platform, 'randomBytes' | 'now'>): string {
  return `gen-${Math.floor(platform.now() / 1000)}-${createRandomId(platform, 26)}`;
}
