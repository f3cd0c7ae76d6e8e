import { createHash } from 'node:crypto';

import { createGateway, toFetchHandler } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createNodePlatform } from '@model-gateway/node';
import { createUndiciTransport } from '@model-gateway/node/undici';
import { expect, onTestFinished, test } from 'vitest';

import { TEST_KEY } from '../support/gateways/test-gateway.ts';
import { startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';

test('a chat passes a trace on to its provider, with the span that destinations get, and none that it has not received', async () => {
  const upstream = await startScriptedUpstream();
  const transport = createUndiciTransport();
  const gateway = createGateway({
    providers: [createOpenAiProvider({ slug: 'up', name: 'Up', baseUrl: upstream.baseUrl, apiKey: 'key', transport })],
    models: [{ id: 'test/model', endpoints: [{ provider: 'up', providerModel: 'echo' }] }],
    store: createMemoryStore(),
    platform: createNodePlatform(),
    bootstrapKeys: [{ key: TEST_KEY, kind: 'api', name: 'test' }],
  });
  onTestFinished(async () => {
    await gateway.close();
    await transport.close();
    await upstream.close();
  });
  const handle = toFetchHandler(gateway);
  const call = async (headers: Record<string, string>, trace?: object): Promise<string> => {
    const response = await handle(
      new Request('http://gateway.test/api/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'test/model', messages: [{ role: 'user', content: 'Hi' }], trace }),
      }),
    );
    await response.text();
    expect(response.status).toBe(200);
    return response.headers.get('x-generation-id') ?? '';
  };
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  const id = await call({ traceparent });
  await call({ traceparent }, { trace_id: 'mine' });
  await call({ traceparent: 'nonsense' });
  await call({});
  const spanId = createHash('sha256').update(id).digest('hex').slice(0, 16);
  expect(upstream.calls.map(({ headers }) => headers['traceparent'])).toEqual([
    `00-${traceId}-${spanId}-01`,
    undefined,
    undefined,
    undefined,
  ]);
});
