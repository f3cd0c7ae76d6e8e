import type { ActivityItem } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { findConcerns } from './find-concerns.ts';
import { toSpending } from './to-spending.ts';

const key = { name: 'k', disabled: false, limit: null, limit_remaining: null, expires_at: null };
const endpoints = { steady: 0, unstable: 0, resting: 0, failing: 1, half_open: 0, open: 0, unused: 0 };
const provider = { name: 'Acme', health: { status: 'ok' as const, endpoints } };
const calm = { health: 'ok', keys: [key], rows: [{ status: 'ok' as const }], providers: [provider] };
const NOW = Date.parse('2026-03-01T00:00:00Z');

test('is content when nothing is wrong', () => {
  expect(findConcerns(calm, NOW)).toEqual([]);
});

test.each([
  [{ health: 'degraded' }, 'A generation could not be recorded'],
  [{ providers: [] }, 'No provider is configured'],
  [{ providers: [{ name: 'Acme', health: { status: 'down' as const, endpoints } }] }, 'Acme is down'],
  [{ rows: [{ status: 'failed' as const }, { status: 'ok' as const }] }, '1 of the latest 2 calls failed'],
  [
    { rows: [{ status: 'interrupted' as const }, { status: 'ok' as const }] },
    '1 of the latest 2 calls was interrupted',
  ],
  [{ keys: [{ ...key, limit: 1, limit_remaining: 0 }] }, 'The limit of the key “k” is spent'],
  [{ keys: [{ ...key, limit: 1, limit_remaining: 0.05 }] }, 'Less than a tenth is left'],
  [{ keys: [{ ...key, expires_at: '2026-03-03T00:00:00Z' }] }, 'expires within a week'],
])('points at %o', (change, text) => {
  expect(findConcerns({ ...calm, ...change }, NOW).map((concern) => concern.text)).toEqual([
    expect.stringContaining(text),
  ]);
});

test('does not mind keys that are disabled or gone', () => {
  const keys = [
    { ...key, disabled: true, limit: 1, limit_remaining: 0 },
    { ...key, expires_at: '2026-02-01T00:00:00Z' },
  ];
  expect(findConcerns({ ...calm, keys }, NOW)).toEqual([]);
});

test('adds spending up by day and model, the small ones together', () => {
  const item = (date: string, model: string, usage: number): ActivityItem => ({
    date,
    model,
    model_permaslug: model,
    endpoint_id: 'e',
    usage,
    byok_usage_inference: 0,
    provider_name: 'P',
    requests: 1,
    prompt_tokens: 0,
    completion_tokens: 0,
    reasoning_tokens: 0,
  });
  const items = [
    item('2026-02-28', 'a', 5),
    item('2026-03-01', 'a', 1),
    item('2026-03-01 00:00:00', 'a', 1),
    item('2026-01-01', 'old', 9),
  ];
  for (const [at, model] of ['b', 'c', 'd', 'e', 'f', 'g'].entries())
    items.push(item('2026-03-01', model, 0.1 * (6 - at)));
  const spending = toSpending(items, { days: 2, unit: 'usage', today: new Date(NOW) });
  expect(spending.days).toEqual(['2026-02-28', '2026-03-01']);
  expect(spending.series.map(({ label }) => label)).toEqual(['a', 'b', 'c', 'd', 'e', '2 others']);
  expect(spending.series[0]?.values).toEqual([5, 2]);
  expect(spending.total).toBeCloseTo(9.1);
});
