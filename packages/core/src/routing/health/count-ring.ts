/** Counts of two kinds over a window that moves. */
export interface CountRing {
  add(now: number, isGood: boolean): void;
  /** Sums the last `latest` slots up to now; without it, all of them. */
  sum(now: number, latest?: number): { readonly good: number; readonly bad: number };
}

/**
 * Creates counters over `slots` slots of `slotMs` each; the oldest slot is dropped as a whole. Adding costs a few
 * assignments whatever the window, and there is no timer.
 */
export function createCountRing(slotMs: number, slots: number): CountRing {
  const good = new Uint32Array(slots);
  const bad = new Uint32Array(slots);
  /** The time that each slot covers, counted in slots. */
  const stamps = new Float64Array(slots).fill(-1);
  return {
    add(now, isGood) {
      const stamp = Math.floor(now / slotMs);
      const slot = stamp % slots;
      if (stamps[slot] !== stamp) {
        stamps[slot] = stamp;
        good[slot] = 0;
        bad[slot] = 0;
      }
      const counts = isGood ? good : bad;
      counts[slot] = (counts[slot] as number) + 1;
    },
    sum(now, latest = slots) {
      const oldest = Math.floor(now / slotMs) - latest;
      let goodSum = 0;
      let badSum = 0;
      for (let slot = 0; slot < slots; slot += 1) {
        if ((stamps[slot] as number) <= oldest) continue;
        goodSum += good[slot] as number;
        badSum += bad[slot] as number;
      }
      return { good: goodSum, bad: badSum };
    },
  };
}
