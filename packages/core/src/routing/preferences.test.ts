import { expect, test } from 'vitest';

import { createRoutedGateway, endpointsAt } from '../../../../test/support/gateways/routed-gateway.ts';
import type { AccountOptions } from '../account/account.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';

const THREE = { cheap: {}, middle: {}, dear: {} };
const CHAT: ModelDefinition = { id: 'r/chat', endpoints: endpointsAt({ cheap: 1, middle: 2, dear: 3 }) };

type Routing = NonNullable<AccountOptions['routing']>;

/** The providers that a request asks in turn when each of them fails. */
async function askedWith(routing: Routing, request: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const { askedFor, behave } = createRoutedGateway(THREE, [CHAT], { account: { routing } });
  for (const slug of Object.keys(THREE)) behave(slug, 'provider_unavailable');
  return askedFor(request);
}

test.each<[string, Routing, readonly string[]]>([
  ['an order', { order: ['Dear', 'middle'] }, ['dear', 'middle', 'cheap']],
  ['a sort', { sort: 'price' }, ['cheap', 'middle', 'dear']],
  ['a sort and no fallbacks', { sort: 'price', allowFallbacks: false }, ['cheap']],
  ['an order and no fallbacks', { order: ['middle'], allowFallbacks: false }, ['middle']],
  ['a price that nobody is to exceed', { sort: 'price', maxPrice: { prompt: 2 } }, ['cheap', 'middle']],
])('%s of the account holds for a request that says nothing of it', async (_, routing, expected) => {
  expect(await askedWith(routing, {})).toEqual(expected);
});

test.each<[string, Routing, Readonly<Record<string, unknown>>, readonly string[]]>([
  ['an order', { order: ['dear'] }, { provider: { order: ['middle'] } }, ['middle', 'cheap', 'dear']],
  ['a sort, also against an order', { order: ['dear'] }, { provider: { sort: 'price' } }, ['cheap', 'middle', 'dear']],
  ['a variant that sorts', { order: ['dear'] }, { model: 'r/chat:floor' }, ['cheap', 'middle', 'dear']],
  [
    'fallbacks',
    { sort: 'price', allowFallbacks: false },
    { provider: { allow_fallbacks: true } },
    ['cheap', 'middle', 'dear'],
  ],
  [
    'a price',
    { sort: 'price', maxPrice: { prompt: 1 } },
    { provider: { max_price: { prompt: 2 } } },
    ['cheap', 'middle'],
  ],
])('%s of the request comes before the account’s', async (_, routing, request, expected) => {
  expect(await askedWith(routing, request)).toEqual(expected);
});

test('prices that the request does not name stay those of the account', async () => {
  const routing: Routing = { sort: 'price', maxPrice: { prompt: 1 } };
  expect(await askedWith(routing, { provider: { max_price: { completion: 9 } } })).toEqual(['cheap']);
});
