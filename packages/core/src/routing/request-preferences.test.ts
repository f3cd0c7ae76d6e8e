import { expect, test } from 'vitest';

import type { CallPreferences } from '../calls/call-kind.ts';
import { chatKind } from '../chat/chat-kind.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import { sortOf, tiersOf } from './request-preferences.ts';

const asking = (request: Partial<ChatCompletionRequest>): CallPreferences =>
  chatKind.preferencesOf({ messages: [{ role: 'user', content: 'q' }], ...request });

test.each([
  [[], null],
  [['nitro'], 'throughput'],
  [['floor'], 'price'],
  [['exacto'], 'exacto'],
  [['nitro', 'floor'], 'price'],
  [['floor', 'online'], 'price'],
  [['online', 'nitro'], 'throughput'],
  [['online'], null],
])('the variants %j sort by %s, unless the request says by what', (variants, sort) => {
  expect(sortOf(asking({}), variants)).toBe(sort);
  expect(sortOf(asking({ provider: { sort: 'latency' } }), variants)).toBe('latency');
  expect(sortOf(asking({ provider: { sort: { by: 'latency' } } }), variants)).toBe('latency');
});

test.each<[Partial<ChatCompletionRequest>, string[]]>([
  [{}, ['priority', 'flex']],
  [{ service_tier: 'auto' }, ['priority', 'flex']],
  [{ service_tier: 'default' }, []],
  [{ service_tier: 'flex' }, ['flex']],
  [{ service_tier: 'fast' }, ['priority']],
  [{ provider: { order: ['acme'] } }, []],
  [{ provider: { order: ['acme'] }, service_tier: 'flex' }, ['flex']],
])('beside %j, :nitro and :floor admit the tiers %j', (request, tiers) => {
  expect([...tiersOf(asking(request), ['nitro', 'floor'])]).toEqual(tiers);
});
