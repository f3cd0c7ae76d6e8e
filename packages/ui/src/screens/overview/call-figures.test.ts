import { expect, test } from 'vitest';

import { parseOpenCalls, toCachedShare } from './overview-screen.tsx';

const row = (prompt: number | null, cached: number | null, status: 'ok' | 'failed' = 'ok') => ({
  native_tokens_prompt: prompt,
  native_tokens_cached: cached,
  status,
});

test('tells the part of the prompts that came from a cache, of those whose providers told', () => {
  expect(toCachedShare([row(300, 100), row(100, 0), row(5_000, null), row(900, 900, 'failed')])).toBe(0.25);
});

test('takes nothing for zero where no call tells', () => {
  expect([toCachedShare([]), toCachedShare([row(10, null)])]).toEqual([null, null]);
});

test('reads the open calls from the metrics', () => {
  const metrics = '# TYPE model_gateway_open_calls gauge\nmodel_gateway_open_calls 3\nmodel_gateway_open_streams 2\n';
  expect(parseOpenCalls(metrics)).toEqual({ all: 3, streamed: 2 });
  expect(parseOpenCalls('model_gateway_open_calls 3\n')).toBeNull();
});
