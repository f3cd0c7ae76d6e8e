import { expect, test } from 'vitest';

import { createDeferred } from '../../../../test/support/async/deferred.ts';
import { createVirtualPlatform, settle } from '../../../../test/support/async/virtual-platform.ts';
import { jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import {
  createRoutedGateway,
  endpointsAt,
  type RoutedGateway,
} from '../../../../test/support/gateways/routed-gateway.ts';
import { GatewayError } from '../foundation/errors.ts';
import { waitFor } from './ask-again.ts';

const MODELS = [{ id: 'r/chat', endpoints: endpointsAt({ one: 1, two: 2 }) }];
const BODY = { model: 'r/chat', provider: { order: ['one', 'two'] } };

const BUSY = new GatewayError('rate_limit_exceeded', 'one is busy', { retryAfterSeconds: 5 });

/** A gateway that waits for up to ten seconds, whose first endpoint fails at first: by default it names five seconds. */
async function openWaiting(error: GatewayError = BUSY, failures = 1) {
  const gateway = createRoutedGateway({ one: {}, two: {} }, MODELS, {
    account: { routing: { waitForRetryAfterMs: 10_000 } },
  });
  // The first call of a process loads what it needs, in time of its own.
  await gateway.chat(BODY);
  gateway.calls.length = 0;
  let asked = 0;
  gateway.behave('one', () => {
    asked += 1;
    if (asked <= failures) throw error;
  });
  return gateway;
}

test('an endpoint that says when to try again is asked once that time is over, and not before', async () => {
  const { chat, calls, platform } = await openWaiting();
  const response = chat(BODY);
  await platform.advance(4999);
  expect(calls).toEqual(['one m']);
  await platform.advance(1);
  expect((await response).status).toBe(200);
  expect(calls).toEqual(['one m', 'one m']);
});

test.each([
  ['is overloaded', 'provider_overloaded', 5, true],
  ['names the longest time that may be waited', 'rate_limit_exceeded', 10, true],
  ['names a longer time', 'rate_limit_exceeded', 10.001, false],
  ['names no time', 'provider_overloaded', undefined, false],
  ['fails for another reason', 'provider_unavailable', 5, false],
] as const)(
  'where an endpoint %s, %s after %j seconds, it is waited for: %j',
  async (_, code, seconds, isWaitedFor) => {
    const error = new GatewayError(code, 'one fails', { retryAfterSeconds: seconds });
    const { chat, calls, platform } = await openWaiting(error);
    const response = chat(BODY);
    await platform.advance(10_000);
    expect((await response).status).toBe(200);
    expect(calls).toEqual(['one m', isWaitedFor ? 'one m' : 'two m']);
  },
);

test('an endpoint that is still busy after the wait is not waited for again, until it has responded', async () => {
  const { chat, calls, platform, behave } = await openWaiting(BUSY, 2);
  const ask = async () => {
    calls.length = 0;
    const response = chat(BODY);
    await platform.advance(5000);
    expect((await response).status).toBe(200);
    return [...calls];
  };
  expect(await ask()).toEqual(['one m', 'one m', 'two m']);
  behave('one', () => Promise.reject(BUSY));
  await platform.advance(60_000);
  expect(await ask()).toEqual(['one m', 'two m']);
  behave('one', 'complete');
  await platform.advance(60_000);
  expect(await ask()).toEqual(['one m']);
  let isBusy = true;
  behave('one', () => {
    if (!isBusy) return;
    isBusy = false;
    throw BUSY;
  });
  expect(await ask()).toEqual(['one m', 'one m']);
});

test('a client that leaves during the wait ends the call, and nobody is asked for it later', async () => {
  const { chat, calls, platform } = await openWaiting();
  const client = new AbortController();
  const response = chat(BODY, { signal: client.signal });
  await settle();
  client.abort();
  expect((await response).status).toBe(499);
  await platform.advance(10_000);
  expect(calls).toEqual(['one m']);
});

test('a wait leaves no timer behind, neither at its end nor when it is given up', async () => {
  const platform = createVirtualPlatform();
  const whole = waitFor(5000, new AbortController().signal, platform);
  await platform.advance(5000);
  await whole;
  const client = new AbortController();
  const left = waitFor(5000, client.signal, platform);
  expect(platform.pendingTimers).toBe(1);
  client.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  expect(platform.pendingTimers).toBe(0);
});

/** A key whose limit can be changed, and what it has spent and may spend by the API. */
async function createLimitedKey({ post, get }: Pick<RoutedGateway, 'post' | 'get'>, limit: number) {
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const { data, key } = jsonOf(await post('/api/v1/keys', { name: 'limited', limit }, { headers })) as {
    data: { hash: string };
    key: string;
  };
  const path = `/api/v1/keys/${data.hash}`;
  return {
    headers: { authorization: `Bearer ${key}` },
    limitTo: async (usd: number) => void (await post(path, { limit: usd }, { method: 'PATCH', headers })),
    spent: async () => (jsonOf(await get(path, MANAGEMENT_KEY)) as { data: { usage: number } }).data.usage,
  };
}

test.each([
  ['succeeds', undefined, 200],
  ['fails as well', new GatewayError('provider_unavailable', 'one is down', { upstreamStatus: 502 }), 502],
])('a budget that is used up during a second try that %s holds the call once until its end', async (_, end, status) => {
  const one = endpointsAt({ one: 1 }, { max_completion_tokens: 100 });
  const core = createRoutedGateway({ one: {} }, [{ id: 'r/chat', endpoints: one }], {
    account: { routing: { retriesAtEndpoint: 1 } },
  });
  const { chat, calls, behave } = core;
  const { headers, limitTo, spent } = await createLimitedKey(core, 0);
  const ask = () => chat({ model: 'r/chat' }, { headers });
  const refused = await ask();
  const { error } = jsonOf(refused) as { error: { metadata: { required_usd: number } } };
  const worst = error.metadata.required_usd;

  await limitTo(worst);
  const isAskedAgain = createDeferred<void>();
  const second = createDeferred<void>();
  behave('one', async () => {
    if (calls.length === 1) throw new GatewayError('provider_unavailable', 'one is down', { upstreamStatus: 502 });
    isAskedAgain.resolve();
    await second.promise;
    if (end !== undefined) throw end;
  });
  const response = ask();
  await isAskedAgain.promise;
  await limitTo(worst / 2);
  const beside = await ask();
  expect(beside.status).toBe(402);
  expect(jsonOf(beside)).toMatchObject({ error: { metadata: { spent_usd: 0, reserved_usd: worst } } });
  second.resolve();
  expect((await response).status).toBe(status);
  expect(calls).toEqual(['one m', 'one m']);

  // 15 tokens at a dollar a million, however often it was asked.
  const cost = end === undefined ? 0.000015 : 0;
  expect(await spent()).toBe(cost);
  behave('one', 'complete');
  await limitTo(cost + worst);
  expect((await ask()).status).toBe(200);
});
