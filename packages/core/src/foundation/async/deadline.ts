import type { Platform } from '../platform.ts';

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
export type Clock = Pick<Platform, 'monotonicNow' | 'setTimer' | 'isPerRequest'>;
