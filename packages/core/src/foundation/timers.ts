import type { Platform } from './platform.ts';

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

/** One time limit. Setting it again moves it, which costs an assignment: limits are moved with every piece of data. */
export interface Deadline {
  /** Expires `delayMs` from now instead of whenever it was due before. */
  set(delayMs: number): void;
  /** Expires at `dueAt` on the monotonic clock instead: for callers that have read the clock already. */
  setAt(dueAt: number): void;
  clear(): void;
}

/** Owner of a time limit. */
export interface DeadlineOwner {
  /** Called once each time the limit was set and ran out, up to one tick late. */
  onExpire(): void;
}

/** Many time limits on one timer. */
export interface TimerWheel {
  /** A limit that calls back once each time it was set and ran out, up to one tick late. */
  add(onExpire: () => void): Deadline;
  /** The same without a function of its own, for paths on which every object counts. */
  addFor(owner: DeadlineOwner): Deadline;
}

/** What limits need. */
type Clock = Pick<Platform, 'monotonicNow' | 'setTimer' | 'isPerRequest'>;

/**
 * Limits with a timer each, for runtimes where a timer ends with the request that has set it. A limit that is moved
 * further away keeps its timer, and sets the next one when that rings.
 */
function createOwnTimers(platform: Clock): TimerWheel {
  const addFor = (owner: DeadlineOwner): Deadline => {
    let dueAt = Number.POSITIVE_INFINITY;
    let ringsAt = Number.POSITIVE_INFINITY;
    let cancel = (): void => undefined;

    const clear = (): void => {
      cancel();
      dueAt = Number.POSITIVE_INFINITY;
      ringsAt = Number.POSITIVE_INFINITY;
    };
    const arm = (now: number): void => {
      cancel();
      ringsAt = dueAt;
      cancel = platform.setTimer(ring, Math.max(dueAt - now, 0));
    };
    const ring = (): void => {
      const now = platform.monotonicNow();
      if (dueAt > now) return arm(now);
      clear();
      owner.onExpire();
    };
    const setAt = (at: number): void => {
      dueAt = at;
      if (dueAt < ringsAt) arm(platform.monotonicNow());
    };
    return { set: (delayMs) => setAt(platform.monotonicNow() + delayMs), setAt, clear };
  };
  return { add: (onExpire) => addFor({ onExpire }), addFor };
}

/** Does something that was asked for, but not too often. */
interface Pacer {
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

/** An item's membership in a list. */
interface ListEntry<Item> {
  readonly item: Item;
}

/** An unordered list for items that are added and removed very often (docs/decisions/0013). */
export interface SwapRemoveList<Item> {
  /** To be copied where items are removed during iteration. */
  readonly entries: readonly ListEntry<Item>[];
  /** The entry is what removes the item again. */
  add(item: Item): ListEntry<Item>;
  /** The last entry takes its index. Does nothing to an entry that has been removed. */
  remove(entry: ListEntry<Item>): void;
}

interface PlacedEntry<Item> extends ListEntry<Item> {
  /** -1 once it has been removed. */
  index: number;
}

/**
 * An array instead of a `Set`: a set with frequent changes rehashes every few dozen items, and V8 links the old table
 * to the new one, so that one promoted table retains all later ones and their items (docs/decisions/0013).
 */
export function createSwapRemoveList<Item>(): SwapRemoveList<Item> {
  const entries: PlacedEntry<Item>[] = [];
  return {
    entries,
    add(item) {
      const entry = { item, index: entries.length };
      entries.push(entry);
      return entry;
    },
    remove(entry) {
      // Entries come from `add` alone.
      const removed = entry as PlacedEntry<Item>;
      const { index } = removed;
      if (index === -1) return;
      removed.index = -1;
      const last = entries.pop();
      if (last === undefined || last === removed) return;
      last.index = index;
      entries[index] = last;
    },
  };
}
