import type { CreateRateCounter } from '@model-gateway/core';

const WINDOW_MS = 60_000;

interface CountedWindow {
  points: number;
  /** Time on the monotonic clock: a system clock that is set back must not lengthen a minute. */
  readonly endsAt: number;
}

/** Counts in the memory of this process. A minute begins with the first call that is counted in it. */
export const createMemoryRateCounter: CreateRateCounter = ({ limitPerMinute }) => {
  /** In the order of their ends, because all are equally long. */
  const windows = new Map<string, CountedWindow>();
  const dropEnded = (now: number): void => {
    for (const [id, { endsAt }] of windows) {
      if (endsAt > now) return;
      windows.delete(id);
    }
  };
  const count = (id: string, points: number, now: number): CountedWindow => {
    dropEnded(now);
    const window = windows.get(id) ?? { points: 0, endsAt: now + WINDOW_MS };
    window.points += points;
    windows.set(id, window);
    return window;
  };
  return {
    async take(id) {
      const now = performance.now();
      const { points, endsAt } = count(id, 1, now);
      return { isExceeded: points > limitPerMinute, resetInMs: endsAt - now };
    },
    async look(id) {
      const now = performance.now();
      dropEnded(now);
      const window = windows.get(id);
      if (window === undefined) return { isExceeded: false, resetInMs: 0 };
      return { isExceeded: window.points >= limitPerMinute, resetInMs: window.endsAt - now };
    },
    async add(id, points) {
      count(id, points, performance.now());
    },
  };
};
