import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import {
  createReplayTransport,
  type ScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';

const WHOLE = {
  headers: { 'content-type': 'application/json' },
  pieces: ['{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}'],
};

const modelOf = (acme: number, beta?: number): ModelDefinition => ({
  id: 'acme/chat',
  endpoints: [
    { provider: 'acme', providerModel: 'a', minOutputTokens: acme, pricing: { prompt: '1', completion: '1' } },
    { provider: 'beta', providerModel: 'b', minOutputTokens: beta, pricing: { prompt: '2', completion: '2' } },
  ],
});

async function ask(model: ModelDefinition, body: Record<string, unknown>) {
  const upstream: ScriptedTransport = createReplayTransport(WHOLE);
  const { chat } = createCoreGateway(upstream, { models: [model] });
  const response = await chat({ model: 'acme/chat', messages: [{ role: 'user', content: 'Hi' }], ...body });
  return {
    status: response.status,
    body: jsonOf(response),
    asked: upstream.exchanges.map(({ sent }) => sent['model']),
  };
}

test('an endpoint is passed over by a request for fewer tokens than it accepts', async () => {
  expect(await ask(modelOf(16), { max_tokens: 15 })).toMatchObject({ status: 200, asked: ['b'] });
  expect(await ask(modelOf(16), { max_tokens: 16 })).toMatchObject({ status: 200, asked: ['a'] });
  expect(await ask(modelOf(16), { max_completion_tokens: 5 })).toMatchObject({ status: 200, asked: ['b'] });
});

test('a request that names no limit is served by every endpoint', async () => {
  expect(await ask(modelOf(16, 16), {})).toMatchObject({ status: 200, asked: ['a'] });
});

test('a request for fewer tokens than any endpoint accepts is a 400 that names the least of them', async () => {
  const { status, body, asked } = await ask(modelOf(64, 16), { max_tokens: 5 });
  expect(status).toBe(400);
  expect(asked).toEqual([]);
  expect(body).toMatchObject({
    error: {
      code: 400,
      message: expect.stringMatching(/^max_tokens: must be at least 16\b/) as string,
      metadata: { error_type: 'invalid_request', issues: [{ path: 'max_tokens', message: 'must be at least 16' }] },
    },
  });
});

test('what a preference excludes does not lower the minimum that is named', async () => {
  const { body } = await ask(modelOf(64, 16), { max_tokens: 5, provider: { ignore: ['beta'] } });
  expect(body).toMatchObject({ error: { message: expect.stringContaining('at least 64') as string } });
});
