import { expect, test } from 'vitest';

import { toUsageByDay } from './model-usage.tsx';

const item = (date: string, model: string, requests: number, usage: number, direct = 0) => ({
  date,
  model,
  model_permaslug: model,
  endpoint_id: 'e',
  provider_name: 'P',
  requests,
  prompt_tokens: 10 * requests,
  completion_tokens: requests,
  reasoning_tokens: 0,
  usage,
  byok_usage_inference: direct,
});

test('adds up one model by day over its endpoints, newest first', () => {
  const { days, total } = toUsageByDay(
    [
      item('2026-03-01', 'a/b', 2, 0.5),
      item('2026-03-02 00:00:00', 'a/b', 1, 0.25),
      item('2026-03-01', 'a/b', 3, 0.125, 0.125),
      item('2026-03-01', 'a/other', 9, 9),
    ],
    'a/b',
  );
  expect(days).toEqual([
    { date: '2026-03-02', requests: 1, promptTokens: 10, completionTokens: 1, usd: 0.25 },
    { date: '2026-03-01', requests: 5, promptTokens: 50, completionTokens: 5, usd: 0.75 },
  ]);
  expect(total).toEqual({ requests: 6, promptTokens: 60, completionTokens: 6, usd: 1 });
});

test('has no days for a model that was not called', () => {
  expect(toUsageByDay([item('2026-03-01', 'a/b', 2, 0.5)], 'a/none').days).toEqual([]);
});
