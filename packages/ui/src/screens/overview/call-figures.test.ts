import { expect, test } from 'vitest';

import { parseOpenCalls, toPace } from './call-figures.ts';

const row = (latency: number | null, prompt: number | null, cached: number | null, status: 'ok' | 'failed' = 'ok') => ({
  streamed: true,
  tokens_completion: 5,
  latency,
  native_tokens_prompt: prompt,
  native_tokens_cached: cached,
  status,
});

test('tells median and 95th percentile of the time to the first token, failures aside', () => {
  const rows = Array.from({ length: 20 }, (_, at) => row((at + 1) * 100, null, null));
  expect(toPace([...rows.toReversed(), row(9_999, null, null, 'failed')])).toEqual({
    calls: 21,
    firstTokenMs: { median: 1000, p95: 1900 },
    cachedShare: null,
  });
  expect(toPace([row(70, 1, 0)]).firstTokenMs).toEqual({ median: 70, p95: 70 });
});

test('takes the time of a whole response for no time to a first token', () => {
  const whole = { ...row(9_999, null, null), streamed: false };
  expect(toPace([whole, row(70, null, null)]).firstTokenMs).toEqual({ median: 70, p95: 70 });
});

test('tells the part of the prompts that came from a cache, of those whose providers told', () => {
  const rows = [row(1, 300, 100), row(1, 100, 0), row(1, 5_000, null)];
  expect(toPace(rows).cachedShare).toBe(0.25);
});

test('takes nothing for zero where no call tells', () => {
  expect(toPace([])).toEqual({ calls: 0, firstTokenMs: null, cachedShare: null });
  expect(toPace([row(null, 10, null)])).toEqual({ calls: 1, firstTokenMs: null, cachedShare: null });
});

test('reads the open calls from the metrics', () => {
  const metrics = '# TYPE model_gateway_open_calls gauge\nmodel_gateway_open_calls 3\nmodel_gateway_open_streams 2\n';
  expect(parseOpenCalls(metrics)).toEqual({ all: 3, streamed: 2 });
  expect(parseOpenCalls('model_gateway_open_calls 3\n')).toBeNull();
});
