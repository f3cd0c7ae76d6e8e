import type { Clock, Deadline, DeadlineOwner, TimerWheel } from './deadline.ts';
import { createOwnTimers } from './own-timers.ts';
import { createSwapRemoveList, type ListEntry } from './swap-remove-list.ts';

const TICK_MS = 50;
/** A tick this late means that the process was blocked or suspended; data may be waiting unread. */
const LATE_MS = 500;

/**
 * Ticks only while a limit is set. A late tick moves every limit by its lateness, so that a blocked event loop or a
 * suspended machine does not end all streams at once (docs/decisions/0013). Where timers belong to requests, each limit
 * has its own instead.
 */
export function createTimerWheel(platform: Clock): TimerWheel {
  if (platform.isPerRequest === true) return createOwnTimers(platform);
  /** Those that are set. */
  const deadlines = createSwapRemoveList<WheelDeadline>();
  let isTicking = false;
  let expectedAt = 0;

  const schedule = (): void => {
    isTicking = deadlines.entries.length > 0;
    if (!isTicking) return;
    expectedAt = platform.monotonicNow() + TICK_MS;
    platform.setTimer(tick, TICK_MS);
  };

  const tick = (): void => {
    const now = platform.monotonicNow();
    const lateBy = now - expectedAt;
    const due: WheelDeadline[] = [];
    for (const { item } of deadlines.entries) {
      if (lateBy > LATE_MS) item.dueAt += lateBy;
      if (item.dueAt <= now) due.push(item);
    }
    try {
      // Called after the loop, so that a limit which its own expiry sets again waits for the next tick.
      for (const deadline of due) {
        // Skips a deadline that an earlier expiry has cleared or moved.
        if (deadline.entry === null || deadline.dueAt > now) continue;
        deadline.clear();
        deadline.owner.onExpire();
      }
    } finally {
      // When a callback throws, the others are due at the next tick.
      schedule();
    }
  };

  /** A class, because there are up to three for every call: with closures each would be four objects more. */
  class WheelDeadline implements Deadline {
    dueAt = Number.POSITIVE_INFINITY;
    /** Null while it is not set. */
    entry: ListEntry<WheelDeadline> | null = null;
    readonly owner: DeadlineOwner;

    constructor(owner: DeadlineOwner) {
      this.owner = owner;
    }

    set(delayMs: number): void {
      this.setAt(platform.monotonicNow() + delayMs);
    }

    setAt(dueAt: number): void {
      this.dueAt = dueAt;
      if (this.entry !== null) return;
      this.entry = deadlines.add(this);
      if (!isTicking) schedule();
    }

    clear(): void {
      const { entry } = this;
      if (entry === null) return;
      this.entry = null;
      deadlines.remove(entry);
    }
  }

  return {
    add: (onExpire) => new WheelDeadline({ onExpire }),
    addFor: (owner) => new WheelDeadline(owner),
  };
}
