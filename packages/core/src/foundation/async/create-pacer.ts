import type { Platform } from '../platform.ts';

/** Does something that was asked for, but not too often. */
export interface Pacer {
  /** Runs it at once, or when `everyMs` have passed since the last time. */
  ask(): void;
  stop(): void;
}

/** Creates a pacer without a timer until it is asked too soon. */
export function createPacer(
  run: () => void,
  everyMs: number,
  platform: Pick<Platform, 'monotonicNow' | 'setTimer'>,
): Pacer {
  let lastAt = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | null = null;
  let isStopped = false;
  const runNow = (): void => {
    cancel = null;
    lastAt = platform.monotonicNow();
    run();
  };
  return {
    ask() {
      if (isStopped || cancel !== null) return;
      const waitMs = lastAt + everyMs - platform.monotonicNow();
      if (waitMs <= 0) runNow();
      else cancel = platform.setTimer(runNow, waitMs);
    },
    stop() {
      isStopped = true;
      cancel?.();
    },
  };
}
