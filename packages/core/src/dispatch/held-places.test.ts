import { expect, test } from 'vitest';

import { createDeferred } from '../../../../test/support/async/deferred.ts';
import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createKeyedProvider, keysNamed } from '../../../../test/support/providers/keyed-provider.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { CallLimitRule, CallScope } from '../limits/call-limits.ts';
import type { CallLimitList } from '../wire/limits.ts';
import { createHeldPlaces, takePlaces, type TakingParts } from './held-places.ts';

const AT_ACME = { provider: 'acme', providerModel: 'chat-1' };
const AT_BETA = { provider: 'beta', providerModel: 'chat-b' };

/** A gateway whose Acme holds every call until the test lets it go. */
async function setUp(rules: readonly CallLimitRule[]) {
  const gates: (() => void)[] = [];
  const hold = (): Promise<void> => {
    const gate = createDeferred<void>();
    gates.push(gate.resolve);
    return gate.promise;
  };
  const acme = await createKeyedProvider('acme', keysNamed('one'), hold);
  const beta = await createKeyedProvider('beta', keysNamed('other'));
  const models = [
    { id: 'acme/chat', endpoints: [AT_ACME, AT_BETA] },
    { id: 'acme/alone', endpoints: [AT_ACME] },
  ];
  const core = createCoreGateway([acme.provider, beta.provider], { models, callLimits: { rules } });
  const alone = (request = {}) => core.chat({ model: 'acme/alone' }, request);
  const turn = () => new Promise(setImmediate);
  return { ...core, acme, gates, alone, turn };
}

test('refuses a call beyond the limit of a provider with a time to come back, and records it', async () => {
  const { alone, gates, turn, acme, store } = await setUp([{ provider: 'acme', callsUnderWay: 1 }]);
  const first = alone();
  await turn();
  const refused = await alone();
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
  expect(acme.asked).toHaveLength(1);
  expect(store.appended).toHaveLength(1);
  gates.shift()?.();
  expect((await first).status).toBe(200);
  const next = alone();
  await turn();
  gates.shift()?.();
  expect((await next).status).toBe(200);
});

test('goes on to another endpoint where a provider is full', async () => {
  const { alone, chat, gates, turn } = await setUp([{ provider: 'acme', callsUnderWay: 1 }]);
  const first = alone();
  await turn();
  expect(jsonOf(await chat())['provider']).toBe('BETA');
  gates.shift()?.();
  await first;
});

test('lets calls wait in a queue, and takes one out when its client leaves', async () => {
  const queue = { length: 5, seconds: 60 };
  const { alone, gates, turn, acme } = await setUp([{ model: '*', callsUnderWay: 1, queue }]);
  const first = alone();
  const client = new AbortController();
  const left = alone({ signal: client.signal });
  const third = alone();
  await turn();
  expect(acme.asked).toHaveLength(1);
  client.abort();
  expect((await left).status).toBe(499);
  gates.shift()?.();
  expect((await first).status).toBe(200);
  await turn();
  expect(acme.asked).toHaveLength(2);
  gates.shift()?.();
  expect((await third).status).toBe(200);
});

test('asks no other endpoint where the limit is that of the key', async () => {
  const { alone, chat, gates, turn, store } = await setUp([{ key: 'dev', callsUnderWay: 1 }]);
  const first = alone();
  await turn();
  expect((await chat()).status).toBe(429);
  expect(store.appended.at(-1)?.record.generation.provider_responses).toEqual([]);
  gates.shift()?.();
  await first;
});

test('gives back at an endpoint that is full what the call holds there, and keeps its place in the limit of its key', async () => {
  const rules = [
    { key: 'dev', callsUnderWay: 2 },
    { model: 'acme/chat', provider: 'acme', callsUnderWay: 5 },
    { provider: 'acme', callsUnderWay: 1 },
  ];
  const { alone, chat, gates, turn, get } = await setUp(rules);
  const underWay = async (): Promise<readonly number[]> => {
    const list = jsonOf(await get('/admin/v1/call-limits', MANAGEMENT_KEY)) as unknown as CallLimitList;
    return list.data.map(({ under_way: count }) => count);
  };
  const first = alone();
  await turn();
  const { body } = await chat({ stream: true });
  const stream = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  // It is at Beta now: one of the key, and none at Acme.
  expect(await underWay()).toEqual([2, 0, 1]);
  await stream.return?.();
  gates.shift()?.();
  await first;
  expect(await underWay()).toEqual([0, 0, 0]);
});

test('lets users of one key take turns', async () => {
  const queue = { length: 9, seconds: 60 };
  const { chat, gates, turn, acme } = await setUp([{ model: '*', callsUnderWay: 1, queue }]);
  const order: string[] = [];
  const ask = async (user: string): Promise<void> => {
    const { status } = await chat({ model: 'acme/alone', user });
    expect(status).toBe(200);
    order.push(user);
  };
  const calls = [ask('a'), ask('a'), ask('a'), ask('b')];
  for (let served = 1; served <= calls.length; served += 1) {
    await turn();
    expect(acme.asked).toHaveLength(served);
    gates.shift()?.();
    await turn();
  }
  await Promise.all(calls);
  expect(order).toEqual(['a', 'a', 'b', 'a']);
});

test('a place that is taken in the stead of another gives that back, and each is given back once', () => {
  const places = createHeldPlaces();
  const given: string[] = [];
  const giveBack = (name: string) => () => void given.push(name);
  places.hold('call', 'provider', giveBack('first'));
  places.hold('call', 'provider', giveBack('second'));
  places.hold('call', 'key', giveBack('third'));
  expect(given).toEqual(['first']);
  expect([places.has('call', 'key'), places.has('other', 'key')]).toEqual([true, false]);
  places.release('call', 'provider');
  expect([given, places.has('call', 'provider')]).toEqual([['first', 'second'], false]);
  places.releaseAll('call');
  places.releaseAll('call');
  expect(given).toEqual(['first', 'second', 'third']);
});

test('a further turn of a call goes on in its place, and an end while it waits is the end, not a full limit', async () => {
  const places = createHeldPlaces();
  const end = new AbortController();
  let taken = 0;
  const take = (): Promise<() => void> => {
    taken += 1;
    if (taken === 1) return Promise.resolve(() => undefined);
    end.abort(new Error('the client has left'));
    return Promise.reject(new GatewayError('rate_limit_exceeded', 'full'));
  };
  const parts = { places, callLimits: { take } as unknown as TakingParts['callLimits'] };
  const scope = (id: string): CallScope => ({ id, isOfKey: false }) as unknown as CallScope;
  const call = { id: 'call', principal: { id: 'p' }, labels: {} } as unknown as Parameters<
    typeof takePlaces
  >[1]['call'];
  const taking = { call, signal: end.signal };
  for (let turn = 0; turn < 2; turn += 1) expect(await takePlaces([scope('acme')], taking, parts)).toBeNull();
  expect(taken).toBe(1);
  await expect(takePlaces([scope('beta')], taking, parts)).rejects.toThrow('the client has left');
});
