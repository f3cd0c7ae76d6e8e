import type { Clock, Deadline, DeadlineOwner, TimerWheel } from './deadline.ts';

/**
 * Limits with a timer each, for runtimes where a timer ends with the request that has set it. A limit that is moved
 * further away keeps its timer, and sets the next one when that rings.
 */
export function createOwnTimers(platform: Clock): TimerWheel {
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
