/** Counts of two kinds over a window that moves. */
export interface CountRing {
  add(now: number, isGood: boolean, count?: number): void;
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
    add(now, isGood, count = 1) {
      const stamp = Math.floor(now / slotMs);
      const slot = stamp % slots;
      if (stamps[slot] !== stamp) {
        stamps[slot] = stamp;
        good[slot] = 0;
        bad[slot] = 0;
      }
      const counts = isGood ? good : bad;
      counts[slot] = (counts[slot] as number) + count;
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

/** How many calls in a hundred did at least as well: `p90` is what nine in ten calls reached. */
export interface Percentiles {
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p99: number;
}

/** The latest measurements of one quantity. */
export interface SampleRing {
  add(now: number, value: number): void;
  /** Percentiles of the measurements within the last `windowMs`; null without any. */
  percentiles(now: number, windowMs: number): Percentiles | null;
}

/**
 * Creates a buffer for the last `size` measurements. Adding costs two assignments; the reader sorts, because reads are
 * rarer. With `isMoreBetter`, percentiles count from the top.
 */
export function createSampleRing(size: number, isMoreBetter: boolean): SampleRing {
  const values = new Float64Array(size);
  const times = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
  let next = 0;
  return {
    add(now, value) {
      values[next] = value;
      times[next] = now;
      next = (next + 1) % size;
    },
    percentiles(now, windowMs) {
      const recent = values.filter((_, index) => (times[index] as number) > now - windowMs).sort();
      if (recent.length === 0) return null;
      if (isMoreBetter) recent.reverse();
      const at = (share: number): number => recent[Math.ceil(recent.length * share) - 1] as number;
      return { p50: at(0.5), p75: at(0.75), p90: at(0.9), p99: at(0.99) };
    },
  };
}
