/** Timers that fire when a test says so. */
export interface ManualTimers {
  setTimer(callback: () => void, delayMs: number): () => void;
  /** Fires every timer set for at most so long, once. */
  fire(withinMs: number): void;
}

/** Creates them with nothing waiting. */
export function createManualTimers(): ManualTimers {
  const waiting = new Map<() => void, number>();
  return {
    setTimer(callback, delayMs) {
      const timer = (): void => callback();
      waiting.set(timer, delayMs);
      return () => void waiting.delete(timer);
    },
    fire(withinMs) {
      // Listed before any fires: a timer may set itself again.
      const due = [...waiting].filter(([, delayMs]) => delayMs <= withinMs);
      for (const [timer] of due) {
        waiting.delete(timer);
        timer();
      }
    },
  };
}
