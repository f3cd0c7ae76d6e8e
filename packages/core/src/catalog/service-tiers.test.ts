import { expect, test } from 'vitest';

import { createRoutedGateway, endpointsAt } from '../../../../test/support/gateways/routed-gateway.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';

const THREE = { cheap: {}, middle: {}, dear: {} };
const CHAT: ModelDefinition = { id: 'r/chat', endpoints: endpointsAt({ cheap: 1, middle: 2, dear: 3 }) };

const tier = (provider: string, tag: string | null, usd: number): ModelDefinition['endpoints'][number] => ({
  provider,
  pricing: endpointsAt({ [provider]: usd })[0]?.pricing,
  providerModel: tag ?? 'plain',
  ...(tag !== null && { tag }),
});
const TIERED: ModelDefinition = {
  id: 'r/tiers',
  endpoints: [tier('one', null, 2), tier('one', 'flex', 1), tier('one', 'priority', 4), tier('two', null, 3)],
};

test.each<[string, Record<string, unknown>, string[], (string | null | undefined)[]]>([
  ['none unasked', { provider: { sort: 'price' } }, ['one plain', 'two plain'], [undefined, undefined]],
  ['flex alone', { service_tier: 'flex' }, ['one flex'], ['flex']],
  [
    'priority first, then the others',
    { service_tier: 'priority' },
    ['one priority', 'one plain', 'two plain'],
    ['priority', null, null],
  ],
  [
    'priority by its other name',
    { service_tier: 'fast' },
    ['one priority', 'one plain', 'two plain'],
    ['priority', null, null],
  ],
  [
    'flex for :floor',
    { model: 'r/tiers:floor' },
    ['one flex', 'one plain', 'two plain'],
    ['flex', undefined, undefined],
  ],
  [
    'no flex for :floor with the default tier',
    { model: 'r/tiers:floor', service_tier: 'default' },
    ['one plain', 'two plain'],
    ['default', 'default'],
  ],
  [
    'no priority for :nitro with an order',
    { model: 'r/tiers:nitro', provider: { order: ['two'] } },
    ['two plain', 'one plain'],
    [undefined, undefined],
  ],
  ['what only names', { provider: { only: ['one/priority'] } }, ['one priority'], ['priority']],
])('of service tiers uses %s, and requests them from upstream', async (_name, body, expected, upstreamTiers) => {
  const { ask, calls, sent } = createRoutedGateway(
    { one: { behaviour: 'provider_unavailable' }, two: { behaviour: 'provider_unavailable' } },
    [TIERED],
  );
  await ask(body);
  expect(calls).toEqual(expected);
  expect(sent.map(({ request }) => request.service_tier)).toEqual(upstreamTiers);
});

test('routes normally when a model has no endpoint of the tier, and hands the tier on', async () => {
  const { askedFor, sent } = createRoutedGateway(THREE, [CHAT]);
  expect(await askedFor({ service_tier: 'flex', provider: { sort: 'price' } })).toEqual(['cheap']);
  expect(sent[0]?.request.service_tier).toBe('flex');
});

test('admits the priority tier to :nitro, and sorts by measured throughput', async () => {
  const { ask, calls, platform, behave } = createRoutedGateway({ one: {}, two: {} }, [TIERED]);
  behave('one', () => platform.oversleep(1000));
  behave('two', () => platform.oversleep(100));
  await ask({ provider: { only: ['one'] } });
  await ask({ provider: { only: ['two'] } });
  await ask({ provider: { only: ['one/priority'] } });
  platform.oversleep(2000);
  calls.length = 0;
  await ask({ model: 'r/tiers:nitro' });
  expect(calls).toEqual(['two plain']);
});
