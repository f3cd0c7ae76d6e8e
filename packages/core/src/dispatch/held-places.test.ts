import { expect, test } from 'vitest';

import { createDeferred } from '../../../../test/support/async/deferred.ts';
import { createCoreGateway, jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { createKeyedProvider, keysNamed } from '../../../../test/support/providers/keyed-provider.ts';
import type { CallLimitRule } from '../limits/call-limits.ts';

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
