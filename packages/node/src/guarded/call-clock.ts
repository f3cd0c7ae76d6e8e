import {
  type Platform,
  type TimerWheel,
  TransportError,
  type TransportPhase,
  type TransportRequest,
} from '@model-gateway/core';

/** The time limits of one call, and the phase that it has reached. */
export interface CallClock {
  phase: TransportPhase;
  /** Aborts when the caller gives up or a limit runs out; the call then fails with its reason. */
  readonly signal: AbortSignal;
  /** Sets the limit on the current wait; the limit on the whole call applies besides. */
  limitTo(limitMs: number): void;
  /** Releases the timer and the listener on the caller's signal. */
  end(): void;
}

/** Starts the clock of a call. The caller ends it. */
export function startCallClock(request: TransportRequest, wheel: TimerWheel, platform: Platform): CallClock {
  const work = new AbortController();
  const endsAt = platform.monotonicNow() + request.totalTimeoutMs;
  const deadline = wheel.add(() => {
    const { phase } = clock;
    const requestSent = phase === 'headers' || phase === 'body';
    work.abort(new TransportError('a time limit ran out', { phase, requestSent, timedOut: true }));
  });
  const onAbort = (): void => work.abort(request.signal.reason);
  if (request.signal.aborted) onAbort();
  request.signal.addEventListener('abort', onAbort, { once: true });
  const clock: CallClock = {
    phase: 'dns',
    signal: work.signal,
    limitTo: (limitMs) => deadline.setAt(Math.min(platform.monotonicNow() + limitMs, endsAt)),
    end() {
      deadline.clear();
      request.signal.removeEventListener('abort', onAbort);
    },
  };
  return clock;
}

/** Settles like the promise, unless the signal fires first; then rejects with its reason. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
