import { expect, test } from 'vitest';

import { describeRateLimit, pickRateLimits } from './rate-limits.tsx';

const ALL = { key: '*', model: '*', requests_per_minute: 600, tokens_per_minute: null };
const BATCH = { key: 'batch', model: 'acme/chat-1', requests_per_minute: 20, tokens_per_minute: 40_000 };

test('of a key and of a model those rules are shown that apply to them', () => {
  expect(pickRateLimits([ALL, BATCH], { keyNames: ['batch', 'hash-1'] })).toEqual([ALL, BATCH]);
  expect(pickRateLimits([ALL, BATCH], { keyNames: ['other', 'hash-2'] })).toEqual([ALL]);
  expect(pickRateLimits([ALL, BATCH], { model: 'acme/chat-2' })).toEqual([ALL]);
  expect(pickRateLimits([ALL, BATCH], {})).toEqual([ALL, BATCH]);
});

test('a rule is told in words', () => {
  expect([ALL, BATCH].map((rule) => describeRateLimit(rule))).toEqual([
    '600 requests per minute for each key, all models together',
    '20 requests and 40,000 tokens per minute for the key batch, for acme/chat-1',
  ]);
});
