import { expect, test } from 'vitest';

import { createVirtualPlatform, settle } from '../../../../test/support/async/virtual-platform.ts';
import { createRoutedGateway, endpointsAt } from '../../../../test/support/gateways/routed-gateway.ts';
import { GatewayError } from '../foundation/errors.ts';
import { waitFor } from './ask-again.ts';

const MODELS = [{ id: 'r/chat', endpoints: endpointsAt({ one: 1, two: 2 }) }];
const BODY = { model: 'r/chat', provider: { order: ['one', 'two'] } };

/** A gateway that waits for up to ten seconds, whose first endpoint names five in its first response. */
async function openWaiting() {
  const gateway = createRoutedGateway({ one: {}, two: {} }, MODELS, {
    account: { routing: { waitForRetryAfterMs: 10_000 } },
  });
  // The first call of a process loads what it needs, in time of its own.
  await gateway.chat(BODY);
  gateway.calls.length = 0;
  let asked = 0;
  gateway.behave('one', () => {
    asked += 1;
    if (asked === 1) throw new GatewayError('rate_limit_exceeded', 'one is busy', { retryAfterSeconds: 5 });
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
