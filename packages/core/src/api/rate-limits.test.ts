import type { CreateRateCounter, ModelDefinition } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { createCoreGateway, createScriptedProvider } from '../../../../test/support/gateways/core-gateway.ts';
import { createRoutedGateway, endpointsAt } from '../../../../test/support/gateways/routed-gateway.ts';

const RULES = [
  { key: 'batch', model: '*', requestsPerMinute: 20, tokensPerMinute: null },
  { key: '*', model: 'acme/chat', requestsPerMinute: null, tokensPerMinute: 40_000 },
];
const createCounter: CreateRateCounter = ({ limitPerMinute }) => {
  let taken = 0;
  const look = () => Promise.resolve({ isExceeded: taken > limitPerMinute, resetInMs: 60_000 });
  const take = () => {
    taken += 1;
    return look();
  };
  return { look, take, add: () => Promise.resolve() };
};
const MODEL: ModelDefinition = { id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'm' }] };
const SAYS = [
  { choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop' as const, native_finish_reason: 'stop' }] },
];
const perMinute = (requests: number, more: object = {}) => ({
  key: '*',
  model: '*',
  requests_per_minute: requests,
  tokens_per_minute: null,
  ...more,
});

test('lists the rate limits of the configuration and those of the store, each with where it was set', async () => {
  const { call } = createAdminGateway({ rateLimits: { rules: RULES, createCounter } });
  const configured = [
    { ...perMinute(20, { key: 'batch' }), source: 'config' },
    { ...perMinute(0, { model: 'acme/chat' }), requests_per_minute: null, tokens_per_minute: 40_000, source: 'config' },
  ];
  expect((await call('GET', '/admin/v1/rate-limits')).body).toEqual({ data: configured, changeable: true });
  const put = await call('PUT', '/admin/v1/rate-limits', {
    data: [{ key: 'batch', model: 'acme/chat', requests_per_minute: 5 }],
  });
  const stored = { ...perMinute(5, { key: 'batch', model: 'acme/chat' }), source: 'stored' };
  expect(put.body).toEqual({ data: [...configured, stored], changeable: true });
  expect((await call('GET', '/admin/v1/rate-limits')).body).toEqual(put.body);
  expect((await call('PUT', '/admin/v1/rate-limits', { data: [] })).body).toEqual({
    data: configured,
    changeable: true,
  });
  const without = await createAdminGateway().call('GET', '/admin/v1/rate-limits');
  expect(without.body).toEqual({ data: [], changeable: false });
});

test('refuses rate limits that limit nothing, that meet others, and of models that do not exist', async () => {
  const { call } = createAdminGateway({ rateLimits: { rules: RULES, createCounter } });
  for (const [path, data] of [
    ['data.0.requests_per_minute', [{ key: 'a' }]],
    ['data.0.requests_per_minute', [perMinute(0)]],
    ['data.0', [perMinute(5, { key: 'batch' })]],
    ['data.1', [perMinute(5), perMinute(6)]],
    ['data.0.model', [perMinute(5, { model: 'acme/gone' })]],
    ['data.0.per', [perMinute(5, { per: 'hour' })]],
  ] as const) {
    expect(await call('PUT', '/admin/v1/rate-limits', { data })).toMatchObject({
      status: 400,
      body: { error: { metadata: { issues: [{ path }] } } },
    });
  }
  const uncounted = await createAdminGateway().call('PUT', '/admin/v1/rate-limits', { data: [perMinute(5)] });
  expect(uncounted).toMatchObject({ status: 400, body: { error: { metadata: { issues: [{ path: 'data' }] } } } });
});

test('a rate limit that is stored applies from the next call on, in every process at the store, and keeps its count', async () => {
  const rateLimits = { rules: [], createCounter };
  const one = createAdminGateway({ rateLimits });
  const other = createCoreGateway([createScriptedProvider('acme', [SAYS])], {
    rateLimits,
    recordingStore: one.store,
    models: [MODEL],
  });
  expect((await other.chat()).status).toBe(200);
  await one.call('PUT', '/admin/v1/rate-limits', { data: [perMinute(2)] });
  expect([(await other.chat()).status, (await other.chat()).status]).toEqual([200, 200]);
  await one.call('PUT', '/admin/v1/rate-limits', { data: [perMinute(2), perMinute(9, { key: 'nobody' })] });
  expect((await other.chat()).status).toBe(429);
  await one.call('PUT', '/admin/v1/rate-limits', { data: [] });
  expect((await other.chat()).status).toBe(200);
});

test('a stored limit whose key is half a character stops no call', async () => {
  const rateLimits = { rules: [], createCounter };
  const one = createAdminGateway({ rateLimits });
  const other = createCoreGateway([createScriptedProvider('acme', [SAYS])], {
    rateLimits,
    recordingStore: one.store,
    models: [MODEL],
  });
  const data = [perMinute(2, { key: '\ud800' }), perMinute(3, { key: '\ud801' })];
  expect((await one.call('PUT', '/admin/v1/rate-limits', { data })).status).toBe(200);
  expect((await other.chat()).status).toBe(200);
});

test.each([
  ['', {}],
  [', though it might wait for it', { account: { routing: { waitForRetryAfterMs: 60_000 } } }],
])(
  'counts a call at the limit of the model that it falls back to, once, and goes on to the next one above it%s',
  async (_, options) => {
    const counts: Record<string, number> = {};
    const rules = [
      { key: '*', model: '*', requestsPerMinute: 100, tokensPerMinute: null },
      { key: '*', model: 'r/two', requestsPerMinute: 1, tokensPerMinute: null },
    ];
    const countCalls: CreateRateCounter = ({ name, limitPerMinute }) => {
      const look = () => Promise.resolve({ isExceeded: (counts[name] ?? 0) > limitPerMinute, resetInMs: 60_000 });
      const take = () => {
        counts[name] = (counts[name] ?? 0) + 1;
        return look();
      };
      return { look, take, add: () => Promise.resolve() };
    };
    const { ask, askedFor } = createRoutedGateway(
      { one: { behaviour: 'provider_overloaded' }, two: {}, other: {}, three: {} },
      [
        { id: 'r/one', endpoints: endpointsAt({ one: 1 }) },
        { id: 'r/two', endpoints: endpointsAt({ two: 1, other: 2 }) },
        { id: 'r/three', endpoints: endpointsAt({ three: 1 }) },
      ],
      { rateLimits: { rules, createCounter: countCalls }, ...options },
    );
    const asked = { model: 'r/one', models: ['r/two'], provider: { sort: 'price' } };
    expect(await askedFor(asked)).toEqual(['one', 'two']);
    expect(await askedFor(asked)).toEqual(['one']);
    expect(await ask(asked)).toMatchObject({ status: 429 });
    expect(await askedFor({ ...asked, models: ['r/two', 'r/three'] })).toEqual(['one', 'three']);
    expect(counts).toEqual({ '0-requests': 4, '1-requests': 4 });
  },
);
