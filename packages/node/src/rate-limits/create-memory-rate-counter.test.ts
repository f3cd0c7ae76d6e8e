import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { rateCounterCases } from '../../../../test/support/rate-limits/rate-counter-cases.ts';
import { createMemoryRateCounter } from './create-memory-rate-counter.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

test.each(rateCounterCases)('$title', ({ run }) =>
  run({ createCounter: createMemoryRateCounter, advance: (ms) => void vi.advanceTimersByTime(ms) }),
);

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
