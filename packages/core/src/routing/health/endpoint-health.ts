import { type ErrorCode, isCallersMistake } from '../../foundation/errors.ts';
import { type CountRing, createCountRing, createSampleRing, type Percentiles } from './rings.ts';

/**
 * `unstable`: a noticeable share of calls failed within 30 seconds. `resting`: calls were refused for a time. `open`:
 * too many calls failed. `half-open`: one call is due that shows whether the endpoint works again.
 */
export type CircuitState = 'steady' | 'half-open' | 'unstable' | 'resting' | 'open';

/** Figures for lists and explanations. Null where nothing was measured. */
export interface HealthReport {
  readonly circuitState: CircuitState;
  /** Per cent of calls that did not fail; refusals for their rate count neither way. */
  readonly uptime5m: number | null;
  readonly uptime30m: number | null;
  readonly uptime1d: number | null;
  /** Milliseconds to the first token. */
  readonly latency30m: Percentiles | null;
  /** Tokens a second, from dispatch to the last. */
  readonly throughput30m: Percentiles | null;
}

export interface CallFailure {
  readonly code: ErrorCode;
  readonly retryAfterSeconds?: number | undefined;
}

/** The results of one endpoint's calls. Owned by a health board; times come from its monotonic clock. */
export interface EndpointHealth {
  noteStarted(): void;
  /** The first output has arrived. */
  noteBegun(latencyMs: number): void;
  /** A call that had begun has ended well. */
  noteCompleted(completionTokens: number | undefined, durationMs: number): void;
  noteFailed(failure: CallFailure, hadBegun: boolean): void;
  /** The caller left before the first output: the call has no result. */
  noteAbandoned(): void;
  circuitState(): CircuitState;
  /** No call is waiting for its first words. */
  isIdle(): boolean;
  /** Resolves with whether a call that waits for its first words gets them; never while idle. */
  awaitProof(): Promise<boolean>;
  /** Over the last five minutes, computed at most once a second. */
  latency(): Percentiles | null;
  throughput(): Percentiles | null;
  /** Share of calls of the last half hour that did not fail; null without calls. */
  successRate(): number | null;
  report(): HealthReport;
}

/** Failures in a row that break the circuit. */
const FAILURES_TO_OPEN = 5;
/** Or this many within 30 seconds, when they are at least half of the calls. */
const RECENT_FAILURES_TO_OPEN = 10;
const FIRST_OPEN_MS = 5000;
const LONGEST_OPEN_MS = 60_000;
/** After this time, a probe without a result no longer prevents another one. */
const PROBE_LIMIT_MS = 60_000;
/** Pause after a refusal for the rate that names no time. */
const DEFAULT_REST_MS = 5000;
/** Upper limit for a pause that upstream names: limits may be lifted earlier, and only a call would show it. */
const LONGEST_REST_MS = 60_000;
/** Share of failures within 30 seconds from which an endpoint is unstable. */
const UNSTABLE_SHARE = 0.1;
const RECENT_MS = 30_000;
const PREFERENCE_WINDOW_MS = 300_000;
const LIST_WINDOW_MS = 1_800_000;
const SAMPLES = 256;
const CACHE_MS = 1000;

/** Starts to remember one endpoint. Takes about 6 KB. */
export function createEndpointHealth(now: () => number): EndpointHealth {
  const recent = createCountRing(1000, RECENT_MS / 1000);
  const halfHour = createCountRing(60_000, 30);
  const day = createCountRing(900_000, 96);
  const rings: readonly CountRing[] = [recent, halfHour, day];
  const latencies = createSampleRing(SAMPLES, false);
  const throughputs = createSampleRing(SAMPLES, true);
  const cachedLatency = cached(now, () => latencies.percentiles(now(), PREFERENCE_WINDOW_MS));
  const cachedThroughput = cached(now, () => throughputs.percentiles(now(), PREFERENCE_WINDOW_MS));
  let failuresInARow = 0;
  let lastFailureAt = Number.NEGATIVE_INFINITY;
  let restUntil = Number.NEGATIVE_INFINITY;
  /** Null while the circuit is closed. */
  let openUntil: number | null = null;
  let openMs = FIRST_OPEN_MS;
  let probeStartedAt = Number.NEGATIVE_INFINITY;
  /** Number of calls without any output yet, and the callers that wait for their result. */
  let waiting = 0;
  let observers: ((isAlive: boolean) => void)[] = [];

  const count = (isGood: boolean): void => {
    for (const ring of rings) ring.add(now(), isGood);
  };
  const noteAlive = (): void => {
    failuresInARow = 0;
    openUntil = null;
    openMs = FIRST_OPEN_MS;
    tell(true);
  };
  const tell = (isAlive: boolean): void => {
    if (observers.length === 0) return;
    for (const observer of observers) observer(isAlive);
    observers = [];
  };
  const noteSilenced = (): void => {
    waiting -= 1;
    probeStartedAt = Number.NEGATIVE_INFINITY;
    if (waiting === 0) tell(false);
  };
  const noteOutage = (): void => {
    failuresInARow += 1;
    lastFailureAt = now();
    count(false);
    const { good, bad } = recent.sum(now());
    const isBroken = failuresInARow >= FAILURES_TO_OPEN || (bad >= RECENT_FAILURES_TO_OPEN && bad >= good);
    if (!isBroken || (openUntil !== null && openUntil > now())) return;
    // A circuit that was open before has just failed its probe.
    if (openUntil !== null) openMs = Math.min(openMs * 2, LONGEST_OPEN_MS);
    openUntil = now() + openMs;
  };
  const isUnstable = (): boolean => {
    if (lastFailureAt < now() - RECENT_MS) return false;
    const { good, bad } = recent.sum(now());
    return bad > 0 && bad >= UNSTABLE_SHARE * (good + bad);
  };
  const circuitState = (): CircuitState => {
    if (openUntil !== null) {
      return openUntil > now() || probeStartedAt > now() - PROBE_LIMIT_MS ? 'open' : 'half-open';
    }
    if (restUntil > now()) return 'resting';
    return isUnstable() ? 'unstable' : 'steady';
  };

  return {
    noteStarted() {
      waiting += 1;
      if (openUntil !== null) probeStartedAt = now();
    },
    noteBegun(latencyMs) {
      waiting -= 1;
      latencies.add(now(), latencyMs);
      noteAlive();
    },
    noteCompleted(completionTokens, durationMs) {
      count(true);
      if (completionTokens !== undefined && completionTokens > 0 && durationMs > 0) {
        throughputs.add(now(), (completionTokens * 1000) / durationMs);
      }
    },
    noteFailed({ code, retryAfterSeconds }, hadBegun) {
      if (code === 'rate_limit_exceeded' || (code === 'provider_overloaded' && retryAfterSeconds !== undefined)) {
        const restMs = retryAfterSeconds === undefined ? DEFAULT_REST_MS : retryAfterSeconds * 1000;
        restUntil = Math.max(restUntil, now() + Math.min(restMs, LONGEST_REST_MS));
      }
      if (isCallersMistake(code)) noteAlive();
      else if (code !== 'rate_limit_exceeded') noteOutage();
      if (!hadBegun) noteSilenced();
    },
    noteAbandoned: noteSilenced,
    circuitState,
    isIdle: () => waiting === 0,
    awaitProof: () => new Promise((resolve) => void observers.push(resolve)),
    latency: cachedLatency,
    throughput: cachedThroughput,
    successRate: () => shareOf(halfHour.sum(now())),
    report: () => ({
      circuitState: circuitState(),
      uptime5m: percentOf(halfHour.sum(now(), 5)),
      uptime30m: percentOf(halfHour.sum(now())),
      uptime1d: percentOf(day.sum(now())),
      latency30m: latencies.percentiles(now(), LIST_WINDOW_MS),
      throughput30m: throughputs.percentiles(now(), LIST_WINDOW_MS),
    }),
  };
}

function shareOf({ good, bad }: { good: number; bad: number }): number | null {
  return good + bad === 0 ? null : good / (good + bad);
}

function percentOf(counts: { good: number; bad: number }): number | null {
  const share = shareOf(counts);
  return share === null ? null : Math.round(share * 10_000) / 100;
}

/** Sorting a few hundred numbers for every request would cost more than routing it. */
function cached<Value>(now: () => number, compute: () => Value): () => Value {
  let value: Value;
  let computedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (computedAt <= now() - CACHE_MS) {
      value = compute();
      computedAt = now();
    }
    return value;
  };
}
