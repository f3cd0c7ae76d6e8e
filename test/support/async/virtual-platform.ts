import { createHash, createHmac } from 'node:crypto';

import type { Platform } from '@model-gateway/core';

/** A platform whose time stands still until a test moves it, and whose randomness is a counter. */
export interface VirtualPlatform extends Platform {
  /** Runs everything that falls due within `ms`, in order and each at its own time, and lets promises settle. */
  advance(ms: number): Promise<void>;
  /** Moves the clocks without running a timer, as a blocked process or a laptop's sleep does. */
  oversleep(ms: number): void;
  /** Sets the wall clock alone, forwards or back. */
  setWallClock(byMs: number): void;
  readonly pendingTimers: number;
}

/** 2026-01-02T03:04:05.000Z */
export const VIRTUAL_EPOCH_MS = Date.UTC(2026, 0, 2, 3, 4, 5);

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
}

/** Creates a platform that starts at `VIRTUAL_EPOCH_MS`. */
export function createVirtualPlatform(): VirtualPlatform {
  const timers = new Set<Timer>();
  let elapsed = 0;
  let wallLead = 0;
  let random = 0;

  const nextDue = (until: number): Timer | undefined =>
    [...timers].filter(({ dueAt }) => dueAt <= until).toSorted((a, b) => a.dueAt - b.dueAt)[0];

  return {
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    hmacSha256: (secret, text) => createHmac('sha256', secret).update(text).digest('hex'),
    randomBytes: (length) =>
      Uint8Array.from({ length }, () => {
        random += 1;
        // The higher digits too, or ids would come round after sixteen.
        return random ^ (random >> 8) ^ (random >> 16);
      }),
    now: () => VIRTUAL_EPOCH_MS + elapsed + wallLead,
    monotonicNow: () => elapsed,
    setTimer(callback, delayMs) {
      const timer: Timer = { dueAt: elapsed + delayMs, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(ms) {
      const until = elapsed + ms;
      await settle();
      for (let timer = nextDue(until); timer !== undefined; timer = nextDue(until)) {
        timers.delete(timer);
        elapsed = Math.max(elapsed, timer.dueAt);
        timer.callback();
        await settle();
      }
      elapsed = Math.max(elapsed, until);
    },
    oversleep(ms) {
      elapsed += ms;
    },
    setWallClock(byMs) {
      wallLead += byMs;
    },
    get pendingTimers() {
      return timers.size;
    },
  };
}

/** Lets every promise that can go on go on; no time passes. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
