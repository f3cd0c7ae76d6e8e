import { expect, test } from 'vitest';

import type { ChatCall } from '../provider.ts';
import { toNativeBody } from './anthropic-provider.ts';

const HELLO = { role: 'user', content: 'Hello' };

function bodyOf(body: Readonly<Record<string, unknown>>) {
  const native = { form: 'messages', body, headers: {}, read: () => ({ messages: [] }) } as const;
  const call: ChatCall = {
    generationId: 'gen-1700000000-0123456789abcdef0123',
    request: { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 },
    providerModel: 'claude-sonnet-4-5',
    stream: false,
    supportedParameters: null,
    signal: new AbortController().signal,
    timeouts: { headersMs: 1, nonStreamMs: 2, idleMs: 3, totalMs: 4 },
    native,
  };
  return toNativeBody(call, native);
}

test('leaves out reasoning of other providers, with the turns that hold nothing else', () => {
  const own = { type: 'thinking', thinking: 'hm', signature: 'c2lnbmVk' };
  const foreign = { type: 'thinking', thinking: 'hm', signature: 'openai:abc' };
  const text = { type: 'text', text: 'Hi' };
  const turn = (...content: object[]): object => ({ role: 'assistant', content });
  const messages = [HELLO, turn(foreign), HELLO, turn(foreign, text), HELLO, turn(own), HELLO];
  expect(bodyOf({ messages })['messages']).toEqual([HELLO, HELLO, turn(text), HELLO, turn(own), HELLO]);
});

test.each([
  ['fast', 'auto'],
  ['priority', 'auto'],
  ['default', 'standard_only'],
  ['flex', undefined],
  ['scale', undefined],
  ['auto', 'auto'],
  ['standard_only', 'standard_only'],
  ['tier_of_tomorrow', 'tier_of_tomorrow'],
])('says a tier of the gateway’s in the words of the wire, and drops one without: %s', (tier, sent) => {
  expect(bodyOf({ messages: [HELLO], service_tier: tier })).toEqual({
    model: 'claude-sonnet-4-5',
    max_tokens: 100,
    messages: [HELLO],
    ...(sent !== undefined && { service_tier: sent }),
  });
});
