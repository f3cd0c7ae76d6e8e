import { createRandomSource } from '../../packages/core/src/routing/order-endpoints.ts';

/** Draws that are the same in every run. */
export interface Draws {
  /** A whole number from 0 up to but not including `count`. */
  below(count: number): number;
  /** Likewise; small numbers come much more often, as with models of which a few get most of the calls. */
  skewed(count: number): number;
  chance(share: number): boolean;
}

export function createDraws(): Draws {
  const next = createRandomSource({ randomBytes: (length) => new Uint8Array(length).fill(7) });
  return {
    below: (count) => Math.floor(next() * count),
    skewed: (count) => Math.floor(next() ** 3 * count),
    chance: (share) => next() < share,
  };
}
