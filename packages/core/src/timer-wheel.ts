import { addLive, type LiveItem, removeLive } from './live-list.ts';
import type { Platform } from './platform.ts';

/** One time limit. Setting it again moves it, which costs an assignment: limits are moved with every piece of data. */
export interface Deadline {
  /** Expires `delayMs` from now instead of whenever it was due before. */
  set(delayMs: number): void;
  clear(): void;
}

/** Many time limits on one timer. */
export interface TimerWheel {
  /** A limit that calls back once each time it was set and ran out, up to one tick late. */
  add(onExpire: () => void): Deadline;
}

const TICK_MS = 50;
/** A tick this much late means the process was blocked or asleep; data may be waiting that nobody could read. */
const LATE_MS = 500;

interface Entry extends LiveItem {
  dueAt: number;
  readonly onExpire: () => void;
}

/**
 * Creates a wheel. It ticks only while a limit is set.
 *
 * A late tick moves every limit by its lateness, so that a blocked event loop or a laptop's sleep does not end all
 * streams at once.
 */
export function createTimerWheel(platform: Pick<Platform, 'monotonicNow' | 'setTimer'>): TimerWheel {
  const entries: Entry[] = [];
  let isTicking = false;
  let expectedAt = 0;

  const schedule = (): void => {
    isTicking = entries.length > 0;
    if (!isTicking) return;
    expectedAt = platform.monotonicNow() + TICK_MS;
    platform.setTimer(tick, TICK_MS);
  };

  const tick = (): void => {
    const now = platform.monotonicNow();
    const lateBy = now - expectedAt;
    const due: Entry[] = [];
    for (const entry of entries) {
      if (lateBy > LATE_MS) entry.dueAt += lateBy;
      if (entry.dueAt <= now) due.push(entry);
    }
    // Called only now, so that a limit set anew by its own expiry waits for the next tick.
    for (const entry of due) {
      // Not those that an expiry before theirs has cleared.
      if (entry.place === -1) continue;
      removeLive(entries, entry);
      entry.onExpire();
    }
    schedule();
  };

  return {
    add(onExpire) {
      const entry: Entry = { place: -1, dueAt: 0, onExpire };
      return {
        set(delayMs) {
          entry.dueAt = platform.monotonicNow() + delayMs;
          addLive(entries, entry);
          if (!isTicking) schedule();
        },
        clear: () => removeLive(entries, entry),
      };
    },
  };
}
