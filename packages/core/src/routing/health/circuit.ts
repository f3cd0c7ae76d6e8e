/** Window of the failures that matter to the circuit. */
export const RECENT_MS = 30_000;
/** Failures in a row that break the circuit. */
const FAILURES_TO_OPEN = 5;
/** Or this many within the window, when they are at least half of the calls. */
const RECENT_FAILURES_TO_OPEN = 10;
const FIRST_OPEN_MS = 5000;
/** An endpoint that is well again gets its first call within this time. */
const LONGEST_OPEN_MS = 20_000;
/** After this time, a probe without a result no longer prevents another one. */
const PROBE_LIMIT_MS = LONGEST_OPEN_MS;
/** A process that has got a response where another says that there are none does not heed it for so long. */
const HEED_AGAIN_AFTER_MS = 60_000;
/** Share of failures within the window from which an endpoint is unstable. */
const UNSTABLE_SHARE = 0.1;

/**
 * `unstable`: a noticeable share of calls failed within 30 seconds. `resting`: calls were refused for a time. `open`:
 * too many calls failed. `half-open`: one call is due that shows whether the endpoint works again.
 */
export type CircuitState = 'steady' | 'half-open' | 'unstable' | 'resting' | 'open';

/** Hears of what a circuit finds out by its own calls. */
export interface CircuitListener {
  onOpened(forMs: number): void;
  onClosed(): void;
}

/**
 * Creates the closed circuit of an endpoint, which opens after too many failures, and for longer after each failed
 * probe. `recent` counts the endpoint's calls of the last `RECENT_MS`. Other processes may
 * advise it; the next response of its own overrules them.
 */
export function createCircuit(now: () => number, recent: CountRing, listener?: CircuitListener) {
  let failuresInARow = 0;
  let lastFailureAt = Number.NEGATIVE_INFINITY;
  /** Null while the circuit is closed. */
  let openUntil: number | null = null;
  let openMs = FIRST_OPEN_MS;
  let probeStartedAt = Number.NEGATIVE_INFINITY;
  let restUntil = Number.NEGATIVE_INFINITY;
  /** It is open because another process reported it. */
  let isAdvised = false;
  let overruledAt = Number.NEGATIVE_INFINITY;

  const isUnstable = (): boolean => {
    if (lastFailureAt < now() - RECENT_MS) return false;
    const { good, bad } = recent.sum(now());
    return bad > 0 && bad >= UNSTABLE_SHARE * (good + bad);
  };

  return {
    /** A call that starts while the circuit is open is its probe. */
    noteStarted(): void {
      if (openUntil !== null) probeStartedAt = now();
    },
    /** Call after `recent` has counted the failure. */
    noteOutage(): void {
      failuresInARow += 1;
      lastFailureAt = now();
      const { good, bad } = recent.sum(now());
      const isBroken =
        isAdvised || failuresInARow >= FAILURES_TO_OPEN || (bad >= RECENT_FAILURES_TO_OPEN && bad >= good);
      if (!isBroken || (openUntil !== null && openUntil > now())) return;
      // A circuit that was open before has just failed its probe.
      if (openUntil !== null) openMs = Math.min(openMs * 2, LONGEST_OPEN_MS);
      openUntil = now() + openMs;
      isAdvised = false;
      listener?.onOpened(openMs);
    },
    endProbe(): void {
      probeStartedAt = Number.NEGATIVE_INFINITY;
    },
    /** No call has got a response since the last failure. */
    hasFailedLast: (): boolean => failuresInARow > 0,
    rest(forMs: number): void {
      restUntil = Math.max(restUntil, now() + forMs);
    },
    close(): void {
      failuresInARow = 0;
      if (openUntil === null) return;
      if (isAdvised) overruledAt = now();
      isAdvised = false;
      openUntil = null;
      openMs = FIRST_OPEN_MS;
      listener?.onClosed();
    },
    /** Another process has found the endpoint broken. Nothing that is known here is forgotten for it. */
    adviseOpen(forMs: number): void {
      if (openUntil !== null && (openUntil > now() || probeStartedAt > now() - PROBE_LIMIT_MS)) return;
      if (failuresInARow === 0 && overruledAt > now() - HEED_AGAIN_AFTER_MS) return;
      openUntil = now() + Math.min(forMs, LONGEST_OPEN_MS);
      isAdvised = true;
    },
    /** Another process has got a response again: its advice is over, and what was found out here is worth a probe. */
    adviseClosed(): void {
      if (isAdvised) {
        openUntil = null;
        isAdvised = false;
      } else if (openUntil !== null) openUntil = Math.min(openUntil, now());
    },
    /** Milliseconds for which it stays open by what calls have shown here; 0 otherwise. */
    ownOpenMs: (): number => (openUntil === null || isAdvised ? 0 : Math.max(0, openUntil - now())),
    state(): CircuitState {
      if (openUntil !== null) {
        return openUntil > now() || probeStartedAt > now() - PROBE_LIMIT_MS ? 'open' : 'half-open';
      }
      if (restUntil > now()) return 'resting';
      return isUnstable() ? 'unstable' : 'steady';
    },
  };
}

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
interface SampleRing {
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

/** What became of a call to an endpoint, as far as that counts for its circuit. */
export interface PastResult {
  /** When it failed, or its first output came. */
  readonly atMs: number;
  readonly isGood: boolean;
}

/**
 * When the circuit of an endpoint has opened, by the rule that live calls go by, worked out from the results of former
 * ones in any order.
 */
export function findOpenings(results: readonly PastResult[]): number[] {
  let nowMs = 0;
  const recent = createCountRing(1000, RECENT_MS / 1000);
  const circuit = createCircuit(() => nowMs, recent);
  const openings: number[] = [];
  for (const { atMs, isGood } of results.toSorted((one, other) => one.atMs - other.atMs)) {
    nowMs = atMs;
    recent.add(nowMs, isGood);
    if (isGood) {
      circuit.close();
      continue;
    }
    const wasOpen = circuit.state() === 'open';
    circuit.noteOutage();
    if (!wasOpen && circuit.state() === 'open') openings.push(atMs);
  }
  return openings;
}
