import { addTo, type ListedItem, removeFrom } from './swap-remove-list.ts';
import type { Platform } from './platform.ts';

/** One time limit. Setting it again moves it, which costs an assignment: limits are moved with every piece of data. */
export interface Deadline {
  /** Expires `delayMs` from now instead of whenever it was due before. */
  set(delayMs: number): void;
  clear(): void;
}

/** A time limit that is part of something larger, for paths on which every object counts. Starts with place -1, due at 0. */
export interface Limit extends ListedItem {
  dueAt: number;
  /** Called once each time it was set and ran out, up to one tick late. */
  onExpire(): void;
}

/** Many time limits on one timer. */
export interface TimerWheel {
  /** A limit that calls back once each time it was set and ran out, up to one tick late. */
  add(onExpire: () => void): Deadline;
  /** The limit expires at `dueAt` on the monotonic clock instead of whenever it was due before. */
  set(limit: Limit, dueAt: number): void;
  clear(limit: Limit): void;
}

const TICK_MS = 50;
/** A tick this much late means the process was blocked or asleep; data may be waiting that nobody could read. */
const LATE_MS = 500;

/**
 * Creates a wheel. It ticks only while a limit is set.
 *
 * A late tick moves every limit by its lateness, so that a blocked event loop or a laptop's sleep does not end all
 * streams at once.
 */
export function createTimerWheel(platform: Pick<Platform, 'monotonicNow' | 'setTimer'>): TimerWheel {
  const limits: Limit[] = [];
  let isTicking = false;
  let expectedAt = 0;

  const schedule = (): void => {
    isTicking = limits.length > 0;
    if (!isTicking) return;
    expectedAt = platform.monotonicNow() + TICK_MS;
    platform.setTimer(tick, TICK_MS);
  };

  const tick = (): void => {
    const now = platform.monotonicNow();
    const lateBy = now - expectedAt;
    const due: Limit[] = [];
    for (const limit of limits) {
      if (lateBy > LATE_MS) limit.dueAt += lateBy;
      if (limit.dueAt <= now) due.push(limit);
    }
    // Called only now, so that a limit set anew by its own expiry waits for the next tick.
    for (const limit of due) {
      // Not those that an expiry before theirs has cleared.
      if (limit.place === -1) continue;
      removeFrom(limits, limit);
      limit.onExpire();
    }
    schedule();
  };

  const set = (limit: Limit, dueAt: number): void => {
    limit.dueAt = dueAt;
    addTo(limits, limit);
    if (!isTicking) schedule();
  };
  const clear = (limit: Limit): void => removeFrom(limits, limit);

  return {
    add(onExpire) {
      const limit: Limit = { place: -1, dueAt: 0, onExpire };
      return { set: (delayMs) => set(limit, platform.monotonicNow() + delayMs), clear: () => clear(limit) };
    },
    set,
    clear,
  };
}
