import type { Catalog, Endpoint } from '../../catalog/catalog.ts';
import { type ErrorCode, isCallersMistake } from '../../foundation/errors.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { ModelEndpoint } from '../../wire/models.ts';
import {
  type CircuitListener,
  type CircuitState,
  type CountRing,
  createCircuit,
  createCountRing,
  createSampleRing,
  type Percentiles,
  RECENT_MS,
} from './circuit.ts';

/**
 * The state of an endpoint as it is shown: that of its circuit, except `failing` where a closed circuit would hide that
 * the last call failed and none of the last half hour succeeded. Calls are still sent there.
 */
export type EndpointState = CircuitState | 'failing';

/** Figures for lists and explanations. Null where nothing was measured. */
interface HealthReport {
  readonly state: EndpointState;
  /** Per cent of calls that did not fail; refusals for their rate count neither way. */
  readonly uptime5m: number | null;
  readonly uptime30m: number | null;
  readonly uptime1d: number | null;
  /** Milliseconds to the first token. */
  readonly latency30m: Percentiles | null;
  /** Tokens a second, from dispatch to the last. */
  readonly throughput30m: Percentiles | null;
}

interface CallFailure {
  readonly code: ErrorCode;
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * What calls that waited for their first words have shown: one got them, or the last of them failed. `none`: the last of
 * them was abandoned by its client, so another call has to find out.
 */
type Proof = 'responded' | 'failed' | 'none';

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
  /** The endpoint was asked again after the wait that it had named, and failed. */
  noteWaitedInVain(): void;
  /** Whether that was so the last time: no call waits for it until one has begun. */
  hasWaitedInVain(): boolean;
  /** It rejected a prefill, so it is not offered one until the process or its provider restarts. */
  noteRefusedPrefill(): void;
  hasRefusedPrefill(): boolean;
  /** Whether any call has had a result: endpoints are remembered as soon as a route is planned with them. */
  hasResults(): boolean;
  circuitState(): CircuitState;
  state(): EndpointState;
  /** No call is waiting for its first words. */
  isIdle(): boolean;
  /** Resolves with what the calls that wait for their first words show; never while idle. */
  awaitProof(): Promise<Proof>;
  /** Over the last five minutes, computed at most once a second. */
  latency(): Percentiles | null;
  throughput(): Percentiles | null;
  /** Share of calls of the last half hour that did not fail; null without calls. */
  successRate(): number | null;
  report(): HealthReport;
  /** Another process has opened its circuit, for so long, or with 0 closed it. */
  advise(openForMs: number): void;
  /** Calls of other processes, which count for uptime and not for the circuit. */
  noteElsewhere(good: number, bad: number): void;
  /** Milliseconds for which the circuit stays open by calls of this process. */
  ownOpenMs(): number;
  /** Hands over how many calls of this process have ended since the last time, if any has. */
  takeOwnCounts(use: (good: number, bad: number) => void): void;
}

/** Pause after a refusal for the rate that names no time. */
export const DEFAULT_REST_MS = 5000;
/** Upper limit for a pause that upstream names: limits may be lifted earlier, and only a call would show it. */
const LONGEST_REST_MS = 60_000;
const PREFERENCE_WINDOW_MS = 300_000;
const LIST_WINDOW_MS = 1_800_000;
const SAMPLES = 256;
const CACHE_MS = 1000;

/** Starts to remember one endpoint. Takes about 6 KB. */
export function createEndpointHealth(now: () => number, listener?: CircuitListener): EndpointHealth {
  const recent = createCountRing(1000, RECENT_MS / 1000);
  const halfHour = createCountRing(60_000, 30);
  const day = createCountRing(900_000, 96);
  const rings: readonly CountRing[] = [recent, halfHour, day];
  const latencies = createSampleRing(SAMPLES, false);
  const throughputs = createSampleRing(SAMPLES, true);
  const circuit = createCircuit(now, recent, listener);
  const silent = createSilentCalls();

  let hasResults = false;
  let hasWaitedInVain = false;
  let hasRefusedPrefill = false;
  let ownGood = 0;
  let ownBad = 0;

  const count = (isGood: boolean): void => {
    if (isGood) ownGood += 1;
    else ownBad += 1;
    for (const ring of rings) ring.add(now(), isGood);
  };
  const noteAlive = (): void => {
    circuit.close();
    silent.tell('responded');
  };
  const noteSilenced = (proof: Proof): void => {
    circuit.endProbe();
    silent.remove();
    if (silent.isIdle()) silent.tell(proof);
  };

  const state = (): EndpointState => {
    const state = circuit.state();
    const isClosed = state === 'steady' || state === 'unstable';
    return isClosed && circuit.hasFailedLast() && halfHour.sum(now()).good === 0 ? 'failing' : state;
  };

  return {
    noteStarted() {
      silent.add();
      circuit.noteStarted();
    },
    noteBegun(latencyMs) {
      hasResults = true;
      hasWaitedInVain = false;
      silent.remove();
      latencies.add(now(), latencyMs);
      noteAlive();
    },
    noteCompleted(completionTokens, durationMs) {
      hasResults = true;
      count(true);
      if (completionTokens !== undefined && completionTokens > 0 && durationMs > 0) {
        throughputs.add(now(), (completionTokens * 1000) / durationMs);
      }
    },
    noteFailed({ code, retryAfterSeconds }, hadBegun) {
      hasResults = true;
      if (code === 'rate_limit_exceeded' || (code === 'provider_overloaded' && retryAfterSeconds !== undefined)) {
        const restMs = retryAfterSeconds === undefined ? DEFAULT_REST_MS : retryAfterSeconds * 1000;
        circuit.rest(Math.min(restMs, LONGEST_REST_MS));
      }
      if (isCallersMistake(code)) noteAlive();
      else if (code !== 'rate_limit_exceeded') {
        count(false);
        circuit.noteOutage();
      }
      if (!hadBegun) noteSilenced('failed');
    },
    noteAbandoned: () => noteSilenced('none'),
    noteWaitedInVain: () => void (hasWaitedInVain = true),
    hasWaitedInVain: () => hasWaitedInVain,
    noteRefusedPrefill: () => void (hasRefusedPrefill = true),
    hasRefusedPrefill: () => hasRefusedPrefill,
    hasResults: () => hasResults,
    circuitState: circuit.state,
    state,
    isIdle: silent.isIdle,
    awaitProof: silent.awaitProof,
    latency: cached(now, () => latencies.percentiles(now(), PREFERENCE_WINDOW_MS)),
    throughput: cached(now, () => throughputs.percentiles(now(), PREFERENCE_WINDOW_MS)),
    successRate: () => shareOf(halfHour.sum(now())),
    report: () => ({
      state: state(),
      uptime5m: percentOf(halfHour.sum(now(), 5)),
      uptime30m: percentOf(halfHour.sum(now())),
      uptime1d: percentOf(day.sum(now())),
      latency30m: latencies.percentiles(now(), LIST_WINDOW_MS),
      throughput30m: throughputs.percentiles(now(), LIST_WINDOW_MS),
    }),
    advise(openForMs) {
      if (openForMs > 0) circuit.adviseOpen(openForMs);
      else circuit.adviseClosed();
    },
    noteElsewhere(good, bad) {
      hasResults = true;
      for (const ring of [halfHour, day]) {
        ring.add(now(), true, good);
        ring.add(now(), false, bad);
      }
    },
    ownOpenMs: circuit.ownOpenMs,
    takeOwnCounts(use) {
      if (ownGood + ownBad === 0) return;
      use(ownGood, ownBad);
      ownGood = 0;
      ownBad = 0;
    },
  };
}

/** Counts the calls without any output yet, for callers that wait for their result. */
function createSilentCalls() {
  let count = 0;
  let observers: ((proof: Proof) => void)[] = [];
  return {
    add: (): void => void (count += 1),
    remove: (): void => void (count -= 1),
    isIdle: (): boolean => count === 0,
    awaitProof: (): Promise<Proof> => new Promise((resolve) => void observers.push(resolve)),
    tell(proof: Proof): void {
      if (observers.length === 0) return;
      for (const observer of observers) observer(proof);
      observers = [];
    },
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

/**
 * The wire's number for each state. The wire promises only that 0 is normal and the others are not; the other numbers
 * are the gateway's choice.
 */
const STATUS_OF_STATE: Readonly<Record<EndpointState, number>> = {
  steady: 0,
  unstable: -1,
  'half-open': -2,
  resting: -3,
  failing: -4,
  open: -5,
};

type HealthFields = Pick<
  ModelEndpoint,
  'status' | 'uptime_last_5m' | 'uptime_last_30m' | 'uptime_last_1d' | 'latency_last_30m' | 'throughput_last_30m'
>;

/** An endpoint's health as the public list shows it: per cent, milliseconds and tokens a second; null without calls. */
export function toHealthFields(report: HealthReport): HealthFields {
  return {
    status: STATUS_OF_STATE[report.state],
    uptime_last_5m: report.uptime5m,
    uptime_last_30m: report.uptime30m,
    uptime_last_1d: report.uptime1d,
    latency_last_30m: report.latency30m,
    throughput_last_30m: report.throughput30m,
  };
}

/** The health of every endpoint that has been called. */
export interface HealthBoard {
  of(endpoint: Endpoint): EndpointHealth;
  /** Undefined for an endpoint that has not been called. */
  find(endpoint: Endpoint): EndpointHealth | undefined;
  /** The health of an endpoint that another process names; undefined when there are too many. */
  named(id: string): EndpointHealth | undefined;
  entries(): Iterable<readonly [id: string, health: EndpointHealth]>;
  /** Begins again with the endpoints of a provider in the next catalog: what became of earlier calls says nothing of them. */
  forget(provider: string): void;
}

/** Identifies an endpoint across reloads of the catalog. What a caller's own key meets says nothing of others' calls. */
export const healthIdOf = ({ modelId, tag, providerModel, ownKeyId }: Endpoint): string =>
  `${modelId}\n${tag}\n${providerModel}${ownKeyId === undefined ? '' : `\n${ownKeyId}`}`;

/** Hears of the circuits that open and close by calls of this process. */
export interface BoardListener {
  onOpened(id: string, forMs: number): void;
  onClosed(id: string): void;
}

/** Endpoints that other processes may add: far more than there are, as each takes memory. */
const MAX_NAMED = 5000;

/** Creates an empty board. It grows with the catalog, never with requests. */
export function createHealthBoard(platform: Pick<Platform, 'monotonicNow'>, listener?: BoardListener): HealthBoard {
  const byId = new Map<string, EndpointHealth>();
  // Spares every request the making of an id.
  const byEndpoint = new WeakMap<Endpoint, EndpointHealth>();
  const create = (id: string): EndpointHealth => {
    const health = createEndpointHealth(
      () => platform.monotonicNow(),
      listener && {
        onOpened: (forMs) => listener.onOpened(id, forMs),
        onClosed: () => listener.onClosed(id),
      },
    );
    byId.set(id, health);
    return health;
  };
  return {
    of(endpoint) {
      let health = byEndpoint.get(endpoint);
      if (health === undefined) {
        const id = healthIdOf(endpoint);
        health = byId.get(id) ?? create(id);
        byEndpoint.set(endpoint, health);
      }
      return health;
    },
    forget(provider) {
      for (const id of byId.keys()) {
        const [, tag = ''] = id.split('\n');
        if (tag === provider || tag.startsWith(`${provider}/`)) byId.delete(id);
      }
    },
    find: (endpoint) => byEndpoint.get(endpoint) ?? byId.get(healthIdOf(endpoint)),
    named: (id) => byId.get(id) ?? (byId.size < MAX_NAMED ? create(id) : undefined),
    entries: () => byId,
  };
}

/** Number of a provider's endpoints by state; endpoints without any call are `unused`. */
export type EndpointStateCounts = Record<EndpointState | 'unused', number>;

/** Counts the endpoints of the catalog by provider slug and state. */
export function countEndpointStates(
  catalog: Pick<Catalog, 'list'>,
  health: Pick<HealthBoard, 'find'>,
): ReadonlyMap<string, EndpointStateCounts> {
  const bySlug = new Map<string, EndpointStateCounts>();
  for (const { endpoints } of catalog.list()) {
    for (const endpoint of endpoints) {
      const { slug } = endpoint.provider;
      let counts = bySlug.get(slug);
      if (counts === undefined) bySlug.set(slug, (counts = createCounts()));
      const known = health.find(endpoint);
      counts[known?.hasResults() === true ? known.state() : 'unused'] += 1;
    }
  }
  return bySlug;
}

export const createCounts = (): EndpointStateCounts => ({
  steady: 0,
  unstable: 0,
  resting: 0,
  failing: 0,
  'half-open': 0,
  open: 0,
  unused: 0,
});
