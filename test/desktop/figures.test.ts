import type { Store } from '@model-gateway/core';
import { expect, onTestFinished, test, vi } from 'vitest';

import { createFiguresReporter } from '../../desktop/src/gateway/figures-reporter.ts';

test('the figures of today begin anew at midnight, though nothing is called', async () => {
  vi.useFakeTimers({ now: new Date(2026, 2, 1, 23, 59) });
  onTestFinished(() => void vi.useRealTimers());
  const days: number[] = [];
  const noRecords = { records: [], nextCursor: undefined };
  const reporter = createFiguresReporter({
    gateway: { stats: () => ({ openCalls: 0, openStreams: 0 }) },
    store: {
      generations: {
        page: () => Promise.resolve(noRecords),
        histogram: ({ startMs }: { readonly startMs: number }) => {
          days.push(startMs);
          return Promise.resolve({ total: { requests: 0, costNanoUsd: 0 } });
        },
      },
    } as unknown as Pick<Store, 'generations'>,
    tell: () => undefined,
  });
  await reporter.reportNow();
  await vi.advanceTimersByTimeAsync(3 * 60_000);
  expect(days).toEqual([new Date(2026, 2, 1).getTime(), new Date(2026, 2, 2).getTime()]);
});
