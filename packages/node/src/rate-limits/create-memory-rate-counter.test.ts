import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { createMemoryRateCounter } from './create-memory-rate-counter.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

test('lets as many pass as the limit says, and tells when the minute is over', async () => {
  const counter = createMemoryRateCounter({ name: 'a', limitPerMinute: 2 });
  expect(await counter.take('k')).toEqual({ isExceeded: false, resetInMs: 60_000 });
  vi.advanceTimersByTime(20_000);
  expect(await counter.take('k')).toEqual({ isExceeded: false, resetInMs: 40_000 });
  expect(await counter.take('k')).toEqual({ isExceeded: true, resetInMs: 40_000 });
  expect(await counter.take('other')).toEqual({ isExceeded: false, resetInMs: 60_000 });
  vi.advanceTimersByTime(40_000);
  expect(await counter.take('k')).toEqual({ isExceeded: false, resetInMs: 60_000 });
});

test('counts points beyond the limit, and looks without counting', async () => {
  const counter = createMemoryRateCounter({ name: 'a', limitPerMinute: 100 });
  expect(await counter.look('k')).toEqual({ isExceeded: false, resetInMs: 0 });
  await counter.add('k', 99);
  expect(await counter.look('k')).toEqual({ isExceeded: false, resetInMs: 60_000 });
  await counter.add('k', 500);
  vi.advanceTimersByTime(1000);
  expect(await counter.look('k')).toEqual({ isExceeded: true, resetInMs: 59_000 });
  vi.advanceTimersByTime(59_000);
  expect(await counter.look('k')).toEqual({ isExceeded: false, resetInMs: 0 });
});

test.each([-86_400_000, 86_400_000])(
  '222: counts by the monotonic clock when the system clock is set by %i ms',
  async (byMs) => {
    const counter = createMemoryRateCounter({ name: 'a', limitPerMinute: 1 });
    await counter.take('k');
    vi.setSystemTime(Date.now() + byMs);
    vi.advanceTimersByTime(20_000);
    expect(await counter.take('k')).toEqual({ isExceeded: true, resetInMs: 40_000 });
    vi.advanceTimersByTime(40_000);
    expect(await counter.take('k')).toEqual({ isExceeded: false, resetInMs: 60_000 });
  },
);

test('keeps counters of different limits apart', async () => {
  const [a, b] = ['a', 'b'].map((name) => createMemoryRateCounter({ name, limitPerMinute: 1 }));
  await a?.take('k');
  expect((await a?.take('k'))?.isExceeded).toBe(true);
  expect((await b?.take('k'))?.isExceeded).toBe(false);
});
