import { expect, test } from 'vitest';

import { replayWhole } from '../../../../test/support/gateways/ask-wire.ts';
import {
  type CoreGateway,
  createCoreGateway,
  jsonOf,
  MANAGEMENT_KEY,
} from '../../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { script } from '../../../../test/support/wires/anthropic.ts';
import type { CreateRateCounter } from '../limits/rate-limits.ts';

const pricing = { prompt: '0.001', completion: '0.002' };
const MODELS = [{ id: 'test/model', endpoints: [{ provider: 'up', providerModel: 'claude-1', pricing }] }];
const PROMPT = { model: 'test/model', messages: [{ role: 'user', content: 'Hello' }] };

const count = (core: CoreGateway, key?: string) =>
  core.post('/api/v1/messages/count_tokens', PROMPT, {
    ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
  });

/** Creates a key with a limit in USD. */
async function createKey(core: CoreGateway, limit: number): Promise<string> {
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  return jsonOf(await core.post('/api/v1/keys', { name: 'k', limit }, { headers }))['key'] as string;
}

test('counting tokens is a request to the rate limits, and above one upstream is not asked', async () => {
  const createCounter: CreateRateCounter = ({ limitPerMinute }) => {
    let taken = 0;
    const look = () => Promise.resolve({ isExceeded: taken > limitPerMinute, resetInMs: 60_000 });
    const take = () => {
      taken += 1;
      return look();
    };
    return { look, take, add: () => Promise.resolve() };
  };
  const transport = replayWhole({ whole: { input_tokens: 7 } });
  const rules = [{ key: '*', model: 'test/model', requestsPerMinute: 2, tokensPerMinute: null }];
  const core = createCoreGateway([script.createProvider(transport)], {
    models: MODELS,
    rateLimits: { rules, createCounter },
  });
  expect([(await count(core)).status, (await count(core)).status]).toEqual([200, 200]);
  const refused = await count(core);
  expect(refused).toMatchObject({ status: 429, headers: { 'x-ratelimit-limit': '2', 'retry-after': '60' } });
  expect(jsonOf(refused)).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
  expect(transport.exchanges).toHaveLength(2);
});

test('a key that may spend nothing counts nothing, and holds nothing', async () => {
  const transport = createReplayTransport({ pieces: ['{"input_tokens":7}'] });
  const core = createCoreGateway([script.createProvider(transport)], { models: MODELS });
  const refused = await count(core, await createKey(core, 0));
  expect(refused.status).toBe(402);
  expect(jsonOf(refused)).toMatchObject({ type: 'error', error: { error_type: 'payment_required' } });
  expect(transport.exchanges).toHaveLength(0);
  // Counting costs nothing, so that the smallest limit is enough, and it stays whole.
  const thrifty = await createKey(core, 0.000001);
  for (const _ of [1, 2, 3]) expect(jsonOf(await count(core, thrifty))).toEqual({ input_tokens: 7 });
});
