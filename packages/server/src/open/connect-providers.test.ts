import type { Transport, TransportRequest, TransportResponse } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { createLazyTransport } from './connect-providers.ts';

const request = { method: 'GET', url: 'http://a' } as TransportRequest;
const response = { status: 200 } as TransportResponse;

function setUp(failure?: Error) {
  const events: string[] = [];
  const transport: Transport & { close(): Promise<void> } = {
    async send({ url }) {
      events.push(`send ${url}`);
      return response;
    },
    async close() {
      events.push('close');
    },
  };
  const lazy = createLazyTransport(async () => {
    events.push('load');
    if (failure !== undefined) throw failure;
    return transport;
  });
  return { events, lazy };
}

test('the first calls share one loading, and it is closed', async () => {
  const { events, lazy } = setUp();
  lazy.preload();
  expect(await Promise.all([lazy.send(request), lazy.send(request)])).toEqual([response, response]);
  await lazy.send(request);
  await lazy.close();
  expect(events).toEqual(['load', 'send http://a', 'send http://a', 'send http://a', 'close']);
});

test('what was never used is never loaded, not even to be closed', async () => {
  const { events, lazy } = setUp();
  await lazy.close();
  expect(events).toEqual([]);
});

test('a failure to load is the failure of the call', async () => {
  const failure = new Error('not installed');
  const { lazy } = setUp(failure);
  lazy.preload();
  await expect(lazy.send(request)).rejects.toBe(failure);
});
