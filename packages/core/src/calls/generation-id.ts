import type { Platform } from '../foundation/platform.ts';
import { putRandomHex } from '../foundation/random-id.ts';

/** The id in the making, used again for every one: calls of the same second share its beginning. */
let codes: number[] = [];
let prefix: readonly number[] = [];
let lastSecond = -1;

/** The id of a generation: sortable by second, unguessable by its random part. */
export function createGenerationId(platform: Pick<Platform, 'randomBytes' | 'now'>): string {
  const second = Math.floor(platform.now() / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    prefix = Array.from(`gen-${second}-`, (character) => character.charCodeAt(0));
    codes = [...prefix];
  }
  putRandomHex(codes, prefix.length, platform);
  return String.fromCharCode(...codes);
}
