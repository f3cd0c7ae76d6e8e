import type { Platform } from '../foundation/platform.ts';

/** Numbers from 0 up to but not including 1, evenly distributed. */
export type RandomSource = () => number;

/**
 * Creates a source seeded once from the platform, at the first draw: a draw costs a few operations, where a call to the platform would
 * cost a copy of its bytes. For spreading load only; ids and secrets come from the platform itself.
 */
export function createRandomSource(platform: Pick<Platform, 'randomBytes'>): RandomSource {
  let seeded: number | undefined;
  // Mulberry32, in the public domain.
  return () => {
    const state = ((seeded ?? createSeed(platform)) + 0x6d2b79f5) >>> 0;
    seeded = state;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function createSeed(platform: Pick<Platform, 'randomBytes'>): number {
  return new DataView(Uint8Array.from(platform.randomBytes(4)).buffer).getUint32(0);
}
