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
