import { expect, test } from 'vitest';

import { createSilentProvider } from '../../../../test/support/gateways/priced-endpoints.ts';
import { type CatalogModel, createCatalog } from '../catalog/catalog.ts';
import { chatNeedsOf, chatRouterInputOf } from '../chat/chat-kind.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import { createRandomSource } from './order-endpoints.ts';
import { resolveAuto, resolveFree, type RouterQuery } from './routers.ts';

const random = createRandomSource({ randomBytes: () => Uint8Array.of(1, 2, 3, 4) });

/** A model of this id for each price in dollars a million tokens, created in order. */
function modelsAt(prices: Readonly<Record<string, readonly (number | null)[]>>): readonly CatalogModel[] {
  const definitions = Object.entries(prices).map(([id, list], index) => ({
    id,
    created: index,
    endpoints: list.map((usd, place) => ({
      provider: `p${place}`,
      providerModel: id,
      ...(usd !== null && { pricing: { prompt: (usd / 1e6).toFixed(9), completion: (usd / 1e6).toFixed(9) } }),
    })),
  }));
  return createCatalog(
    ['p0', 'p1'].map((slug) => createSilentProvider(slug)),
    definitions,
  ).list();
}

const TEN = modelsAt(Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`a/m${index}`, [index + 1]])));

const queryOf = (request: ChatCompletionRequest, candidates: readonly CatalogModel[]): RouterQuery => ({
  ...chatRouterInputOf(request),
  request,
  needs: chatNeedsOf(request),
  candidates,
  random,
});

function auto(request: Partial<ChatCompletionRequest>, candidates: readonly CatalogModel[] = TEN): string[] {
  const full: ChatCompletionRequest = { messages: [{ role: 'user', content: 'Hi' }], ...request };
  return resolveAuto(queryOf(full, candidates)).map(({ id }) => id);
}
const plugin = (options: object): Partial<ChatCompletionRequest> => ({ plugins: [{ id: 'auto-router', ...options }] });

test.each([
  ['low', ['a/m1', 'a/m0', 'a/m2']],
  ['medium', ['a/m3', 'a/m2', 'a/m4']],
  ['high', ['a/m5', 'a/m4', 'a/m6']],
  ['xhigh', ['a/m7', 'a/m6', 'a/m8']],
  ['max', ['a/m9', 'a/m8', 'a/m7']],
])('chooses in the tier %s, newest first, and then what is nearest to it', (cost_tier, expected) => {
  expect(auto(plugin({ cost_tier })).slice(0, 2)).toEqual(expected.slice(0, 2));
  expect(auto(plugin({ cost_tier }))).toHaveLength(3);
});

test.each<[string, Partial<ChatCompletionRequest>, string]>([
  ['a short opening', {}, 'a/m1'],
  ['a longer one', { messages: [{ role: 'user', content: 'x'.repeat(201) }] }, 'a/m3'],
  ['a long one', { messages: [{ role: 'user', content: 'x'.repeat(4001) }] }, 'a/m5'],
  ['code', { messages: [{ role: 'user', content: [{ type: 'text', text: '```js```' }] }] }, 'a/m5'],
  ['tools', { tools: [] }, 'a/m5'],
  ['reasoning', { reasoning: { effort: 'low' } }, 'a/m5'],
  [
    'a conversation as by its opening',
    {
      messages: [
        { role: 'system', content: 'x'.repeat(5000) },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'x'.repeat(5000) },
        { role: 'user', content: 'x'.repeat(5000) },
      ],
    },
    'a/m1',
  ],
])('without a tier judges %s', (_name, request, expected) => {
  expect(auto(request)[0]).toBe(expected);
});

test.each([
  [{ allowed_models: ['a/m3', 'a/m9'] }, ['a/m3', 'a/m9']],
  [{ allowed_models: ['b/*'] }, []],
  [{ allowed_models: ['*/m7'] }, ['a/m7']],
  [{ allowed_models: ['*m*4'] }, ['a/m4']],
  [{ allowed_models: ['a/m4*4'] }, []],
  [{ allowed_models: ['a/*'], excluded_models: ['a/m0', 'a/m1', '*/m[0-9]'] }, ['a/m3', 'a/m2', 'a/m4']],
  [{ allowed_models: ['b/*'], enabled: false }, ['a/m1', 'a/m0', 'a/m2']],
])('keeps to %j', (options, expected) => {
  expect(auto(plugin(options))).toEqual(expected);
});

test('refuses options that are none', () => {
  expect(() => auto(plugin({ cost_tier: 'huge' }))).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

test('draws among free models, and uses only those of their endpoints that are free', () => {
  const candidates = modelsAt({ 'a/paid': [1], 'a/free': [0], 'a/both': [2, 0], 'a/unknown': [null] });
  const request: ChatCompletionRequest = { messages: [{ role: 'user', content: 'Hi' }] };
  const first = new Set<string>();
  for (let round = 0; round < 50; round += 1) {
    const chosen = resolveFree(queryOf(request, candidates));
    expect(chosen.map(({ id }) => id).toSorted()).toEqual(['a/both', 'a/free']);
    for (const { endpoints } of chosen) expect(endpoints.map(({ pricing }) => Number(pricing?.prompt))).toEqual([0]);
    first.add(chosen[0]?.id ?? '');
  }
  expect(first).toEqual(new Set(['a/both', 'a/free']));
});
