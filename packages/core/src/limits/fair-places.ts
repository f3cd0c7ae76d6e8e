import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';

/** How many calls may be under way at once, and how many more may wait. */
export interface PlaceLimits {
  readonly callsUnderWay: number;
  /** Calls that may wait; 0 refuses what finds no place. */
  readonly queueLength: number;
  /** How long one may wait. */
  readonly queueMs: number;
}

interface PlaceRequest {
  readonly caller: string;
  readonly limits: PlaceLimits;
  /** What is full, for the message of a refusal: `this model`. */
  readonly what: string;
  readonly signal: AbortSignal;
}

/** Gives a place back. May be called again. */
export type ReleasePlace = () => void;

/** Places for calls under way, and a queue that is fair between callers. */
export interface FairPlaces {
  /**
   * Takes a place: at once where one is free, else when the turn of its caller comes; callers take turns, whatever the
   * number of their calls. Rejects with `rate_limit_exceeded` where too many wait, or it has waited too long, and with
   * the reason of the signal as soon as that fires: it is out of the queue then.
   */
  take(request: PlaceRequest): Promise<ReleasePlace>;
  /** So many may be under way from now on: those who wait get places that are new. */
  resize(callsUnderWay: number): void;
  count(): { readonly underWay: number; readonly waiting: number };
}

/** A place that all processes of a gateway count together. */
export interface PlaceLease {
  release(): void;
}

/**
 * Takes one of so many places of all processes; null where none is free, or calls of other processes have waited for
 * longer. Rejects where they cannot be counted and calls are to be refused for that.
 */
export type TakeLease = (scope: string, callsUnderWay: number, queue: LeaseQueue) => Promise<PlaceLease | null>;

/** Who waits for a lease at the process that asks for it. */
export interface LeaseQueue {
  /** How long it has been the turn of the next calls, in milliseconds: a few, the next one first. Never empty. */
  readonly waitedMs: readonly number[];
}

interface Waiter {
  /** Since when it is the turn of its caller: it came then, or the call before it got a place. */
  since: number;
  /** Refuses it where no place is free; absent for a call that may wait for one. */
  readonly refuseFull?: (() => void) | undefined;
  readonly grant: (release: ReleasePlace) => void;
  readonly refuse: (error: unknown) => void;
}

/** Length of the average that tells how long a place is held. */
const SMOOTHING = 0.2;
/** Before any call has ended. */
const ASSUMED_HOLD_MS = 1000;

/** For so long what cannot be counted is asked for again, while calls wait: a busy machine is no outage. */
const PATIENCE_MS = 2000;

/** Maximum number of waiting calls whose age other processes learn: more places are seldom free at once. */
const TOLD_CALLS = 16;

/** Where other processes hold the places, they are asked for one again so often. */
const ASK_AGAIN_MS = 25;

/** Creates the places of one limit; with `takeLease`, of all processes together. */
export function createFairPlaces(
  scope: string,
  { monotonicNow, setTimer }: Pick<Platform, 'monotonicNow' | 'setTimer'>,
  takeLease?: TakeLease,
): FairPlaces {
  /** Those who wait, by caller; the first caller of the map is the next to get a place. */
  const queues = new Map<string, Waiter[]>();
  let underWay = 0;
  let waiting = 0;
  let limit = 0;
  let holdMs = ASSUMED_HOLD_MS;
  let isAsking = false;

  const occupy = (lease?: PlaceLease): ReleasePlace => {
    underWay += 1;
    const since = monotonicNow();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      underWay -= 1;
      holdMs += (monotonicNow() - since - holdMs) * SMOOTHING;
      lease?.release();
      grantFree();
    };
  };
  const waitedMs = (): readonly number[] => {
    const now = monotonicNow();
    const told = [...queues.values()].slice(0, Math.min(limit, TOLD_CALLS));
    return told.map(([waiter]) => now - (waiter?.since ?? now));
  };
  /** Whose turn it is; undefined when nobody waits. */
  const takeNext = (): Waiter | undefined => {
    const [next] = queues;
    if (next === undefined) return undefined;
    const [caller, waiters] = next;
    const waiter = waiters.shift();
    // To the end, behind the others, for as long as it has calls that wait.
    queues.delete(caller);
    const [following] = waiters;
    if (following !== undefined) {
      following.since = monotonicNow();
      queues.set(caller, waiters);
    }
    waiting -= 1;
    return waiter;
  };
  const grantFree = (): void => {
    if (takeLease !== undefined) {
      if (!isAsking) void grantLeases(takeLease);
      return;
    }
    while (underWay < limit) {
      const next = takeNext();
      if (next === undefined) return;
      next.grant(occupy());
    }
  };
  /** One place after the other: whose turn it is, is decided when there is one. */
  const grantLeases = async (take: TakeLease): Promise<void> => {
    isAsking = true;
    let failingSince: number | undefined;
    const pause = (): Promise<void> => new Promise((resolve) => void setTimer(resolve, ASK_AGAIN_MS));
    while (waiting > 0 && underWay < limit) {
      let lease: PlaceLease | null;
      try {
        lease = await take(scope, limit, { waitedMs: waitedMs() });
      } catch (error) {
        failingSince ??= monotonicNow();
        const mayWait = [...queues.values()].some(([next]) => next?.refuseFull === undefined);
        if (mayWait && monotonicNow() - failingSince < PATIENCE_MS) await pause();
        else takeNext()?.refuse(error);
        continue;
      }
      failingSince = undefined;
      if (lease === null) {
        for (const waiter of [...queues.values()].flat()) waiter.refuseFull?.();
        if (waiting > 0) await pause();
        continue;
      }
      const next = takeNext();
      if (next === undefined) lease.release();
      else next.grant(occupy(lease));
    }
    isAsking = false;
  };
  const leave = (caller: string, waiter: Waiter): void => {
    const waiters = queues.get(caller) ?? [];
    const at = waiters.indexOf(waiter);
    if (at === -1) return;
    waiters.splice(at, 1);
    if (waiters.length === 0) queues.delete(caller);
    waiting -= 1;
  };
  /** When a place will be free for one more call, if calls go on to take as long as they did. */
  const refuse = ({ what, limits }: PlaceRequest): GatewayError => {
    const rounds = Math.ceil((waiting + 1) / limits.callsUnderWay);
    const retryAfterSeconds = Math.max(1, Math.ceil((rounds * holdMs) / 1000));
    return new GatewayError(
      'rate_limit_exceeded',
      `Too many calls to ${what} are under way: at most ${limits.callsUnderWay} at once, and ${limits.queueLength} may wait; try again in ${retryAfterSeconds} s`,
      { retryAfterSeconds },
    );
  };

  return {
    count: () => ({ underWay, waiting }),
    resize(callsUnderWay) {
      limit = callsUnderWay;
      grantFree();
    },
    take(request) {
      const { caller, limits, signal } = request;
      limit = limits.callsUnderWay;
      if (takeLease === undefined && underWay < limit && waiting === 0) return Promise.resolve(occupy());
      // A call that asks other processes for a free place waits for a moment, but not in the queue.
      const mayBeFree = takeLease !== undefined && underWay + waiting < limit;
      if (!mayBeFree && waiting >= limits.queueLength) return Promise.reject(refuse(request));
      return new Promise((resolve, reject) => {
        const settle = (): void => {
          cancel();
          signal.removeEventListener('abort', onAbort);
        };
        const waiter: Waiter = {
          since: monotonicNow(),
          refuseFull: limits.queueLength > 0 ? undefined : () => giveUp(refuse(request)),
          grant(release) {
            settle();
            resolve(release);
          },
          refuse: (error) => giveUp(error),
        };
        const giveUp = (reason: unknown): void => {
          settle();
          leave(caller, waiter);
          // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason of the signal, handed on
          reject(reason);
        };
        const onAbort = (): void => giveUp(signal.reason);
        // Without a queue it waits for the answer, and no longer.
        const cancel = setTimer(() => giveUp(refuse(request)), limits.queueLength > 0 ? limits.queueMs : PATIENCE_MS);
        if (signal.aborted) return onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
        const waiters = queues.get(caller);
        if (waiters === undefined) queues.set(caller, [waiter]);
        else waiters.push(waiter);
        waiting += 1;
        // The limit may have been raised.
        grantFree();
      });
    },
  };
}
