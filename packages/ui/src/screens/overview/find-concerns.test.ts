import { expect, test } from 'vitest';

import { findConcerns } from './find-concerns.ts';

const key = { name: 'k', disabled: false, limit: null, limit_remaining: null, expires_at: null };
const endpoints = { steady: 0, unstable: 0, resting: 0, failing: 1, half_open: 0, open: 0, unused: 0 };
const provider = { name: 'Acme', keys: [], health: { status: 'ok' as const, endpoints } };
const refusedKey = {
  name: 'team-a',
  fingerprint: '9f86d081884c',
  weight: 1,
  limits: { requests_per_minute: null, tokens_per_minute: null, calls_under_way: null },
  state: 'disabled' as const,
  rests_until: null,
  disabled: { status: 402, at: '2026-02-28T00:00:00Z' },
  under_way: 0,
  calls: 1,
  failed: 1,
  tokens: 0,
  cost: 0,
  last_error: null,
};
const calm = {
  health: { status: 'ok' as const },
  keys: [key],
  isUnreachable: false,
  ends: { failed: 0, interrupted: 0, span: 'Last 24 hours', filter: { from: '2026-02-28T00:00:00Z' } },
  providers: [provider],
};
const NOW = Date.parse('2026-03-01T00:00:00Z');

test('is content when nothing is wrong', () => {
  expect(findConcerns(calm, NOW)).toEqual([]);
});

test.each([
  [{ health: { status: 'degraded' as const } }, 'A request could not be recorded'],
  [{ health: { status: 'ok' as const, trouble: 'store_away' as const } }, 'The database is unavailable'],
  [{ health: { status: 'ok' as const, trouble: 'shared_away' as const } }, 'Redis is unavailable'],
  [{ providers: [] }, 'No provider is configured'],
  [{ providers: [{ name: 'Acme', keys: [], health: { status: 'down' as const, endpoints } }] }, 'Acme is down'],
  [{ providers: [{ name: 'Acme', keys: [], health: { status: 'degraded' as const, endpoints } }] }, 'Acme is degraded'],
  [{ providers: [{ ...provider, keys: [refusedKey] }] }, 'Acme refused the key “team-a” (HTTP 402)'],
  [{ isUnreachable: true }, 'The gateway can’t be reached'],
  [{ ends: { ...calm.ends, failed: 1234 } }, '1,234 requests failed · Last 24 hours'],
  [{ ends: { ...calm.ends, interrupted: 1 } }, '1 request was interrupted because the gateway stopped'],
  [{ keys: [{ ...key, limit: 1, limit_remaining: 0 }] }, 'The key “k” has used up its limit'],
  [{ keys: [{ ...key, limit: 1, limit_remaining: 0.05 }] }, '“k” has used over 90% of its limit'],
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

test('leads from a count of failures to just these', () => {
  const [concern] = findConcerns({ ...calm, ends: { ...calm.ends, failed: 2 } }, NOW);
  expect(concern?.link).toEqual({ to: '/generations', search: { from: '2026-02-28T00:00:00Z', status: 'failed' } });
});
