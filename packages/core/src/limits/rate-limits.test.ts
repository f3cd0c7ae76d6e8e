import { expect, test } from 'vitest';

import { createCoreGateway } from '../../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { GatewayError } from '../foundation/errors.ts';
import { combineRules } from './rate-limits.ts';

const configured = [
  { key: '*', model: '*', requestsPerMinute: 100, tokensPerMinute: null },
  { key: 'batch', model: 'acme/chat', requestsPerMinute: 20, tokensPerMinute: null },
];
const storedFor = (key: string, model: string) => ({ key, model, requests_per_minute: 5, tokens_per_minute: 1000 });

test('a stored rate limit stands beside those of the configuration, unless that names the same key and model', () => {
  const fromConfig = configured.map((rule) => ({ ...rule, source: 'config' }));
  expect(combineRules(configured, [storedFor('batch', 'acme/chat')])).toEqual(fromConfig);
  for (const [key, model] of [
    ['batch', '*'],
    ['*', 'acme/chat'],
  ] as const) {
    expect(combineRules(configured, [storedFor(key, model)])).toEqual([
      ...fromConfig,
      { key, model, requestsPerMinute: 5, tokensPerMinute: 1000, source: 'stored' },
    ]);
  }
});

test.each([
  ['passes', 200, new Error('away')],
  ['is refused where the counter wants that', 503, new GatewayError('provider_overloaded', 'Calls cannot be counted')],
])('a call that cannot be counted %s', async (_, status, error) => {
  const away = () => Promise.reject(error);
  const createCounter = () => ({ take: away, look: away, add: away });
  const rules = [{ key: '*', model: '*', requestsPerMinute: 1, tokensPerMinute: null }];
  const pieces = ['{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}'];
  const transport = createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces });
  const { chat } = createCoreGateway(transport, { rateLimits: { rules, createCounter } });
  expect((await chat()).status).toBe(status);
});
