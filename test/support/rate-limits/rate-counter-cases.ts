import type { CreateRateCounter, RateWindow } from '@model-gateway/core';
import { expect } from 'vitest';

/** Where counters of one implementation are made, and how its minutes pass. */
export interface CounterPlace {
  readonly createCounter: CreateRateCounter;
  /** Lets time pass without waiting. */
  advance(ms: number): Promise<void> | void;
}

interface CounterCase {
  readonly title: string;
  run(place: CounterPlace): Promise<void>;
}

/** A count may take a moment, more of it on a busy machine. */
const TOLERANCE_MS = 2000;

function expectWindow(window: RateWindow, isExceeded: boolean, resetInMs: number): void {
  expect(window.isExceeded).toBe(isExceeded);
  expect(window.resetInMs).toBeLessThanOrEqual(resetInMs);
  expect(window.resetInMs).toBeGreaterThan(resetInMs - TOLERANCE_MS);
}

/** What a counter of any implementation has to do. */
export const rateCounterCases: readonly CounterCase[] = [
  {
    title: 'lets as many pass as the limit says, and tells when the minute is over',
    async run({ createCounter, advance }) {
      const counter = createCounter({ name: 'passes', limitPerMinute: 2 });
      expectWindow(await counter.take('k'), false, 60_000);
      await advance(20_000);
      expectWindow(await counter.take('k'), false, 40_000);
      expectWindow(await counter.take('k'), true, 40_000);
      await advance(10_000);
      expectWindow(await counter.take('k'), true, 30_000);
      expectWindow(await counter.take('other'), false, 60_000);
      await advance(30_000);
      expectWindow(await counter.take('k'), false, 60_000);
    },
  },
  {
    title: 'counts points beyond the limit, and looks without counting',
    async run({ createCounter, advance }) {
      const counter = createCounter({ name: 'points', limitPerMinute: 100 });
      expect(await counter.look('k')).toEqual({ isExceeded: false, resetInMs: 0 });
      await counter.add('k', 99);
      expectWindow(await counter.look('k'), false, 60_000);
      expectWindow(await counter.look('k'), false, 60_000);
      await counter.add('k', 500);
      await advance(1000);
      expectWindow(await counter.look('k'), true, 59_000);
      expectWindow(await counter.look('k'), true, 59_000);
      await advance(59_000);
      expect(await counter.look('k')).toEqual({ isExceeded: false, resetInMs: 0 });
    },
  },
  {
    title: 'keeps counters of different names apart',
    async run({ createCounter }) {
      const one = createCounter({ name: 'one', limitPerMinute: 1 });
      const two = createCounter({ name: 'two', limitPerMinute: 1 });
      await one.take('k');
      expect((await one.take('k')).isExceeded).toBe(true);
      expect((await two.take('k')).isExceeded).toBe(false);
    },
  },
  {
    title: 'counts ids of any text',
    async run({ createCounter }) {
      const counter = createCounter({ name: 'texts', limitPerMinute: 1 });
      for (const id of ['', ':', 'a:b', 'ä ☕', 'a\nb', '{x}', '__proto__', 'constructor', '\u0000']) {
        expect((await counter.take(id)).isExceeded).toBe(false);
        expect((await counter.take(id)).isExceeded).toBe(true);
      }
    },
  },
  {
    title: 'lets exactly as many of many calls at once pass as the limit says',
    async run({ createCounter }) {
      const counter = createCounter({ name: 'at-once', limitPerMinute: 12 });
      const windows = await Promise.all(Array.from({ length: 200 }, () => counter.take('k')));
      expect(windows.filter(({ isExceeded }) => !isExceeded)).toHaveLength(12);
    },
  },
];
