import type { CountRing } from './rings.ts';

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
  /** It is open because another process says so. */
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
