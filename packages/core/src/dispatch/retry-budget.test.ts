import { expect, test } from 'vitest';

import { createDeferred } from '../../../../test/support/async/deferred.ts';
import { settle } from '../../../../test/support/async/virtual-platform.ts';
import {
  createCoreGateway,
  createScriptedProvider,
  jsonOf,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { createRoutedGateway, endpointsAt, responderOf } from '../../../../test/support/gateways/routed-gateway.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';

const PRICES = { one: 1, two: 2, three: 3, four: 4 };
const FOUR = { one: {}, two: {}, three: {}, four: {} };
const CHAT: ModelDefinition = { id: 'r/chat', endpoints: endpointsAt(PRICES) };
const CHAT_AT_TWO: ModelDefinition = { id: 'r/chat', endpoints: endpointsAt({ one: 1, two: 2 }) };
const IN_ORDER = { provider: { order: Object.keys(PRICES) } };

test('retries twice and then gives up, however many endpoints there are', async () => {
  const { ask, calls, behave } = createRoutedGateway(FOUR, [CHAT]);
  for (const slug of Object.keys(FOUR)) behave(slug, 'provider_unavailable');
  const response = await ask(IN_ORDER);
  expect(calls).toEqual(['one m', 'two m', 'three m']);
  expect(response.status).toBe(502);
  expect(jsonOf(response)).toMatchObject({ error: { metadata: { previous_errors: [{}, {}] } } });
});

test('in an outage of all endpoints sends at most a tenth more requests, at once or one by one', async () => {
  for (const inParallel of [true, false]) {
    const { ask, calls, behave } = createRoutedGateway(FOUR, [CHAT]);
    for (const slug of Object.keys(FOUR)) behave(slug, 'provider_unavailable');
    const requests = 200;
    if (inParallel) await Promise.all(Array.from({ length: requests }, () => ask({})));
    else for (let i = 0; i < requests; i += 1) await ask({});
    expect(calls.length).toBeGreaterThanOrEqual(requests);
    expect(calls.length).toBeLessThanOrEqual(requests * 1.1);
  }
});

test('lets an endpoint that is well take over every call at once, budget or not', async () => {
  const { ask, calls, behave } = createRoutedGateway(FOUR, [CHAT]);
  behave('one', 'provider_unavailable');
  // The calls within the budget respond late, and the others wait for them.
  const gate = createDeferred<void>();
  behave('two', () => gate.promise);
  const responses = Promise.all(
    Array.from({ length: 50 }, () => ask({ provider: { order: ['one', 'two'], allow_fallbacks: false } })),
  );
  await new Promise(setImmediate);
  expect(calls.filter((call) => call === 'two m')).toHaveLength(10);
  gate.resolve();
  expect((await responses).map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
});

test('lets no call wait for one that fails', async () => {
  const { ask, calls, behave } = createRoutedGateway(FOUR, [CHAT]);
  behave('one', 'provider_unavailable');
  behave('two', 'provider_unavailable');
  const responses = await Promise.all(
    Array.from({ length: 50 }, () => ask({ provider: { order: ['one', 'two'], allow_fallbacks: false } })),
  );
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([502]));
  expect(calls).toHaveLength(60);
});

test('lets a caller leave who waits for the calls of others', async () => {
  const { chat, calls, behave, store } = createRoutedGateway(FOUR, [CHAT]);
  behave('one', 'provider_unavailable');
  const gate = createDeferred<void>();
  behave('two', () => gate.promise);
  const body = { model: 'r/chat', provider: { order: ['one', 'two'] } };
  const client = new AbortController();
  const others = Promise.all(Array.from({ length: 10 }, () => chat(body)));
  const waiting = chat(body, { signal: client.signal });
  await new Promise(setImmediate);
  expect(calls.filter((call) => call === 'one m')).toHaveLength(11);
  expect(calls).toHaveLength(21);
  client.abort();
  expect((await waiting).status).toBe(499);
  expect(store.appended.at(-1)?.record.generation.cancelled).toBe(true);
  gate.resolve();
  await others;
});

test('lets the next waiting call find out when the clients of those that were finding out have left', async () => {
  const { chat, calls, behave } = createRoutedGateway(FOUR, [CHAT]);
  behave('one', 'provider_unavailable');
  const gate = createDeferred<void>();
  behave('two', () => gate.promise);
  const body = { model: 'r/chat', provider: { order: ['one', 'two'], allow_fallbacks: false } };
  const clients = Array.from({ length: 25 }, () => new AbortController());
  const responses = clients.map(({ signal }) => chat(body, { signal }));
  await settle();
  const asksOfTwo = (): number => calls.filter((call) => call === 'two m').length;
  expect(asksOfTwo()).toBe(10);
  // The eleventh is the next in line, and it leaves as well.
  for (const client of clients.slice(0, 11)) client.abort();
  await settle();
  expect(asksOfTwo()).toBe(11);
  clients[11]?.abort();
  await settle();
  expect(asksOfTwo()).toBe(12);
  gate.resolve();
  const statuses = (await Promise.all(responses)).map(({ status }) => status);
  expect(statuses.slice(0, 12)).toEqual(Array.from({ length: 12 }, () => 499));
  expect(statuses.slice(12)).toEqual(Array.from({ length: 13 }, () => 200));
});

test('221: 15 of 25 calls get the second endpoint’s response when the ten clients leave that it was asked for first', async () => {
  const { chat, behave, platform } = createRoutedGateway(FOUR, [CHAT]);
  const wait = (ms: number): Promise<void> => new Promise((resolve) => platform.setTimer(resolve, ms));
  behave('one', async () => {
    await wait(500);
    throw new GatewayError('provider_unavailable', 'one failed');
  });
  behave('two', () => wait(3000));
  const clients = Array.from({ length: 25 }, () => new AbortController());
  const body = { model: 'r/chat', stream: true, provider: { order: ['one', 'two'], allow_fallbacks: false } };
  const responses = clients.map(({ signal }) => chat(body, { signal }));
  await platform.advance(1500);
  for (const client of clients.slice(0, 10)) client.abort();
  await platform.advance(6000);
  const served = (await Promise.all(responses)).slice(10);
  expect(served.map(({ status }) => status)).toEqual(Array.from({ length: 15 }, () => 200));
  for (const response of served) expect(await readFrames(response).rest()).toContain('"content":"two"');
});

test('tells waiting calls of a failure when one of those that were finding out has failed last', async () => {
  const { chat, calls, behave } = createRoutedGateway(FOUR, [CHAT]);
  behave('one', 'provider_unavailable');
  const gate = createDeferred<void>();
  behave('two', async () => {
    await gate.promise;
    throw new GatewayError('provider_unavailable', 'down');
  });
  const body = { model: 'r/chat', provider: { order: ['one', 'two'], allow_fallbacks: false } };
  const clients = Array.from({ length: 15 }, () => new AbortController());
  const responses = clients.map(({ signal }) => chat(body, { signal }));
  await settle();
  for (const client of clients.slice(0, 9)) client.abort();
  await settle();
  gate.resolve();
  expect((await Promise.all(responses.slice(9))).map(({ status }) => status)).toEqual([502, 502, 502, 502, 502, 502]);
  expect(calls.filter((call) => call === 'two m')).toHaveLength(10);
});

test('has ten retries a minute for a model however few its requests', async () => {
  const { askedFor, behave, platform } = createRoutedGateway(FOUR, [CHAT]);
  behave('one', 'provider_unavailable');
  behave('two', 'provider_unavailable');
  const retries: number[] = [];
  for (let i = 0; i < 12; i += 1) {
    retries.push((await askedFor({ provider: { order: ['one', 'two'], allow_fallbacks: false } })).length - 1);
    // The circuits close meanwhile.
    platform.oversleep(4000);
  }
  expect(retries.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(10);
});

test('breaks the circuit of an endpoint that fails, and probes it with one call in a while', async () => {
  const { askedFor, behave, platform } = createRoutedGateway(FOUR, [CHAT]);
  behave('one', 'provider_unavailable');
  for (let i = 0; i < 5; i += 1) expect(await askedFor(IN_ORDER)).toEqual(['one', 'two']);
  for (let i = 0; i < 5; i += 1) expect(await askedFor(IN_ORDER)).toEqual(['two']);
  platform.oversleep(5000);
  expect(await askedFor(IN_ORDER)).toEqual(['one', 'two']);
  expect(await askedFor(IN_ORDER)).toEqual(['two']);
  platform.oversleep(5000);
  expect(await askedFor(IN_ORDER)).toEqual(['two']);
  platform.oversleep(5000);
  behave('one', 'complete');
  expect(await askedFor(IN_ORDER)).toEqual(['one']);
  expect(await askedFor(IN_ORDER)).toEqual(['one']);
});

const TWO_MODELS = ['one', 'two'].map((slug) => ({ id: `r/${slug}`, endpoints: endpointsAt({ [slug]: 1 }) }));

test.each([
  ['one provider before the other', { provider: { order: ['one', 'two'], allow_fallbacks: false } }],
  ['one model before the other', { model: undefined, models: ['r/one', 'r/two'] }],
  ['the cheaper one first', {}],
])('serves every call of an outage of a minute, and goes back soon after: %s', async (_name, body) => {
  for (const everyMs of [4000, 4100]) {
    const { ask, calls, behave, platform } = createRoutedGateway({ one: {}, two: {} }, [CHAT_AT_TWO, ...TWO_MODELS]);
    behave('one', 'provider_unavailable');
    let inOutage = 0;
    let isBackAt = Number.POSITIVE_INFINITY;
    for (let call = 0; call < 20; call += 1) {
      const at = call * everyMs;
      if (at >= 60_000) behave('one', 'complete');
      const response = await ask(body);
      expect(response.status).toBe(200);
      if (at < 60_000) inOutage = calls.filter((asked) => asked.startsWith('one')).length;
      if (responderOf(response) === 'one') isBackAt = Math.min(isBackAt, at);
      platform.oversleep(everyMs);
    }
    expect(inOutage).toBeLessThanOrEqual(8);
    expect(isBackAt).toBeLessThanOrEqual(90_000);
  }
});

test('calls the only endpoint even while its circuit is open', async () => {
  const { askedFor, behave } = createRoutedGateway(FOUR, [CHAT]);
  behave('one', 'provider_unavailable');
  for (let i = 0; i < 10; i += 1) expect(await askedFor({ provider: { only: ['one'] } })).toEqual(['one']);
});

test('calls an endpoint that limits the rate last, and never as a retry', async () => {
  const { askedFor, behave, platform } = createRoutedGateway(FOUR, [CHAT]);
  behave('one', 'rate_limit_exceeded');
  const two = { provider: { order: ['one', 'two'], allow_fallbacks: false } };
  expect(await askedFor(two)).toEqual(['one', 'two']);
  expect(await askedFor(two)).toEqual(['two']);
  behave('two', 'provider_unavailable');
  expect(await askedFor(two)).toEqual(['two']);
  expect(await askedFor({ provider: { only: ['one'] } })).toEqual(['one']);
  platform.oversleep(5000);
  expect(await askedFor(two)).toEqual(['one', 'two']);
});

test('retries a mistake of the caller at the next model without a budget', async () => {
  const models = ['a/first', 'a/second'].map((id, index) => ({
    id,
    endpoints: endpointsAt(index === 0 ? { one: 1 } : { two: 1 }),
  }));
  const { askedFor } = createRoutedGateway({ ...FOUR, one: { behaviour: 'content_policy_violation' } }, models);
  for (let i = 0; i < 30; i += 1) {
    expect(await askedFor({ model: undefined, models: ['a/first', 'a/second'] })).toEqual(['one', 'two']);
  }
});

const THREE_AND_ONE: ModelDefinition[] = [
  { id: 'a/first', endpoints: endpointsAt({ one: 1, two: 2, three: 3 }) },
  { id: 'a/second', endpoints: endpointsAt({ four: 4 }) },
];
const ONE_AFTER_OTHER = { model: undefined, models: ['a/first', 'a/second'], provider: { sort: 'price' } };

test('keeps the last attempt for the next model, however many endpoints the first one has', async () => {
  const { ask, calls, behave } = createRoutedGateway(FOUR, THREE_AND_ONE);
  for (const slug of ['one', 'two', 'three']) behave(slug, 'provider_overloaded');
  const response = await ask(ONE_AFTER_OTHER);
  expect(calls).toEqual(['one m', 'two m', 'four m']);
  expect(response.status).toBe(200);
});

test('gives the last attempt to the first model where the next one rests, or the caller sorts across models', async () => {
  const { ask, askedFor, behave } = createRoutedGateway(FOUR, THREE_AND_ONE);
  for (const slug of ['one', 'two', 'three']) behave(slug, 'provider_overloaded');
  const across = { ...ONE_AFTER_OTHER, provider: { sort: { by: 'price', partition: 'none' } } };
  expect(await askedFor(across)).toEqual(['one', 'two', 'three']);
  behave('four', 'rate_limit_exceeded');
  await ask({ model: 'a/second' });
  expect(await askedFor(ONE_AFTER_OTHER)).toEqual(['one', 'two', 'three']);
});

test('gives up no endpoint of the first model for an unstable one when the budget of retries is spent', async () => {
  const { ask, askedFor, behave, platform } = createRoutedGateway(FOUR, THREE_AND_ONE);
  let asked = 0;
  behave('four', () => {
    asked += 1;
    if (asked % 3 === 0) throw new GatewayError('provider_unavailable', 'now and then');
  });
  for (let i = 0; i < 20; i += 1) await ask({ model: 'a/second' });
  behave('one', 'provider_unavailable');
  behave('two', 'provider_unavailable');
  const inOrder = { ...ONE_AFTER_OTHER, provider: { order: ['one', 'two', 'three'] } };
  await Promise.all(Array.from({ length: 20 }, () => ask(inOrder)));
  // The circuits of the two close meanwhile, and what four did is remembered.
  platform.oversleep(10_000);
  expect(await askedFor(inOrder)).toEqual(['one', 'two', 'three']);
});

const FIRST_WORDS = [
  { choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: null, native_finish_reason: null }] },
];

test('counts a stream that breaks off as its endpoint’s failure, and one that its client leaves as none', async () => {
  const breaking = createScriptedProvider('acme', [FIRST_WORDS], () => {
    throw new GatewayError('provider_unavailable', 'broken');
  });
  const endless = createScriptedProvider('beta', [FIRST_WORDS], () => new Promise(() => undefined));
  const { chat, get } = createCoreGateway([breaking, endless]);
  const uptimes = async (): Promise<unknown> => {
    const { data } = jsonOf(await get('/api/v1/models/acme/chat/endpoints')) as {
      data: { endpoints: { uptime_last_5m: unknown; latency_last_30m: unknown }[] };
    };
    return data.endpoints.map(({ uptime_last_5m }) => uptime_last_5m);
  };
  await readFrames(await chat({ stream: true, provider: { only: ['acme'] } })).rest();
  const client = new AbortController();
  const left = readFrames(await chat({ stream: true, provider: { only: ['beta'] } }, { signal: client.signal }));
  await left.next();
  client.abort();
  await left.leave();
  await settle();
  expect(await uptimes()).toEqual([0, null]);
});

test('does not retry at an endpoint that fails now and then once the budget is spent', async () => {
  const { ask, calls, behave } = createRoutedGateway(FOUR, [CHAT]);
  const failEach = (slug: string, every: number): void => {
    let asked = 0;
    behave(slug, () => {
      asked += 1;
      if (asked % every === 0) throw new GatewayError('provider_unavailable', 'now and then');
    });
  };
  failEach('one', 3);
  failEach('two', 2);
  for (let i = 0; i < 90; i += 1) await ask({ provider: { order: ['one', 'two'], allow_fallbacks: false } });
  expect(calls.filter((call) => call === 'two m').length).toBeLessThanOrEqual(10);
});

test('lets one call at a time find out whether an endpoint is well, when the budget is spent', async () => {
  const { ask, calls, behave } = createRoutedGateway(FOUR, [CHAT]);
  let asked = 0;
  behave('one', () => {
    asked += 1;
    if (asked % 3 === 0) throw new GatewayError('provider_unavailable', 'now and then');
  });
  for (let i = 0; i < 60; i += 1) expect((await ask({ provider: { order: ['one', 'two'] } })).status).toBe(200);
  expect(calls.filter((call) => call === 'two m')).toHaveLength(20);
});
