import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createScriptedTransport } from '../../../../../test/support/upstreams/scripted-transport.ts';
import { createAnthropicProvider } from '../anthropic/anthropic-provider.ts';
import { createFalProvider } from '../fal/fal-videos.ts';
import { createGoogleProvider } from '../google/google-provider.ts';
import { createOpenAiResponsesProvider } from '../openai-responses/openai-responses-provider.ts';
import { createOpenAiProvider } from '../openai/openai-provider.ts';
import { createReplicateProvider } from '../replicate/replicate-videos.ts';
import {
  budgetOfEffort,
  decodeBase64Text,
  effortOfBudget,
  hideValues,
  parseDataUrl,
  toReasoningBudget,
  toShownBody,
  toUpstream,
} from './to-upstream.ts';

test('takes for secrets the key, headers with and without their scheme, and the host of the address', () => {
  const headers = { Authorization: 'Bearer plain-words', 'x-team': 'team-9', 'x-v': '1' };
  const { credentials, secrets } = toUpstream(
    {
      slug: 'up',
      baseUrl: 'https://llm.example:8443/v1/',
      apiKey: 'key-of-up',
      headers,
      transport: createScriptedTransport(),
    },
    { keyHeader: 'api-key' },
  );
  expect(credentials).toEqual(['key-of-up', 'Bearer plain-words', 'plain-words', 'team-9']);
  expect(secrets).toEqual([...credentials, 'llm.example:8443', 'llm.example']);
});

const WIRES: readonly [string, (settings: never) => unknown][] = [
  ['openai', createOpenAiProvider],
  ['openai-responses', createOpenAiResponsesProvider],
  ['anthropic', createAnthropicProvider],
  ['google', createGoogleProvider],
  ['fal', createFalProvider],
  ['replicate', createReplicateProvider],
];
const SETTINGS = { slug: 'house', baseUrl: 'https://house.example/v1' };

test.each(WIRES)('a provider of the wire %s without a transport is refused, with what to pass', (_wire, create) => {
  const downloads = createScriptedTransport();
  // As plain JavaScript may call it: without, and with a function in its place.
  for (const wrong of [{}, { transport: undefined }, { transport: fetch }]) {
    expect(() => create({ ...SETTINGS, downloads, ...wrong } as never)).toThrow(
      /^The provider "house" needs a transport in `transport`: pass createUndiciTransport\(\) .* or createFetchTransport/,
    );
  }
});

test.each(WIRES.slice(4))(
  'a provider of the wire %s without a transport for downloads is refused, too',
  (_wire, create) => {
    expect(() => create({ ...SETTINGS, transport: createScriptedTransport() } as never)).toThrow(
      /needs a transport in `downloads`: pass createGuardedTransport/,
    );
  },
);

test.each([
  ['data:image/png;base64,AAAA', 'image/png', 'AAAA'],
  ['DATA:Image/PNG;Base64,AAAA', 'image/png', 'AAAA'],
  ['data:text/plain;charset=utf-8;base64,QQ==', 'text/plain', 'QQ=='],
  ['data:;base64,QQ==', 'text/plain', 'QQ=='],
  ['data:,A%2CB', 'text/plain', 'QSxC'],
  ['data:text/html,%C5%BC', 'text/html', 'xbw='],
])('reads %s', (url, mediaType, base64) => {
  expect(parseDataUrl(url)).toEqual({ mediaType, base64 });
});

test.each(['https://x.example/a.png', 'data:image/png;base64', 'data:image/png;base64,', 'data:,%E0%A4%A', ''])(
  'finds nothing in "%s"',
  (url) => {
    expect(parseDataUrl(url)).toBeUndefined();
  },
);

test('decodes text that is not ASCII, and nothing that is not base64', () => {
  expect(decodeBase64Text('xbzDs8WCdw==')).toBe('żółw');
  expect(decodeBase64Text('%%%')).toBeUndefined();
});

const EFFORTS = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

test.each([
  ['minimal', 20_000, 2000],
  ['low', 20_000, 4000],
  ['medium', 20_000, 10_000],
  ['high', 20_000, 16_000],
  ['xhigh', 20_000, 19_000],
  ['max', 20_000, 19_000],
  ['minimal', 2000, 1024],
  ['high', 1_000_000, 128_000],
] as const)('takes %s of %i tokens for a budget of %i', (effort, maxTokens, budget) => {
  expect(budgetOfEffort(effort, maxTokens)).toBe(budget);
});

test.each([
  [1000, 'minimal'],
  [1001, 'low'],
  [5000, 'medium'],
  [5001, 'high'],
  [8000, 'high'],
  [8001, 'xhigh'],
  [20_000, 'xhigh'],
] as const)('takes a budget of %i in 10000 tokens for %s', (budget, effort) => {
  expect(effortOfBudget(budget, 10_000)).toBe(effort);
});

test('the budget of an effort is taken for that effort, and more effort is never less budget', () => {
  // Within these limits neither the least nor the most of a budget comes into it.
  fc.assert(
    fc.property(fc.integer({ min: 10_240, max: 130_000 }), (maxTokens) => {
      const budgets = EFFORTS.map((effort) => budgetOfEffort(effort, maxTokens));
      expect(budgets).toEqual(budgets.toSorted((a, b) => a - b));
      const back = budgets.map((budget) => effortOfBudget(budget, maxTokens));
      expect(back).toEqual([...EFFORTS.slice(0, 5), 'xhigh']);
    }),
  );
});

test('a budget is a whole number of at least 1024 and at most 128000 tokens', () => {
  expect([0, 1024.9, 5000.5, 1e9].map(toReasoningBudget)).toEqual([1024, 1024, 5000, 128_000]);
});

test('shows a body as it is sent, without secrets', () => {
  const body = {
    model: 'm',
    messages: [{ role: 'user', content: 'My key is key-of-acme, and key-of-acme again.' }],
    temperature: 0,
    stream: true,
    nothing: null,
  };
  expect(toShownBody(body, (text) => hideValues(text, ['', 'key-of-acme']))).toEqual({
    ...body,
    messages: [{ role: 'user', content: 'My key is [redacted], and [redacted] again.' }],
  });
});

test('shows how long media are, and every word of prose', () => {
  const base64 = 'QUJD'.repeat(500);
  expect(toShownBody([`data:image/png;base64,${base64}`, base64, 'QUJD'], (text) => text)).toEqual([
    'data:image/png;base64,[2000 characters]',
    '[2000 characters]',
    'QUJD',
  ]);
  const prose = 'word '.repeat(500);
  expect(toShownBody(prose, (text) => text)).toBe(prose);
});
