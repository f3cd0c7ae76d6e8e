import { createGateway, type Gateway } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createNodePlatform, listen } from '@model-gateway/node';
import { createUndiciTransport } from '@model-gateway/node/undici';
import { expect, onTestFinished, test } from 'vitest';

import { connectRaw, toRequestBytes } from '../support/clients/raw-client.ts';
import { HOST_KINDS, startHost } from '../support/conformance/hosts.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY } from '../support/gateways/test-gateway.ts';
import { respondWell, startRawUpstream } from '../support/upstreams/raw-upstream.ts';

async function startGateway(): Promise<Gateway> {
  const { baseUrl } = await startRawUpstream((request) => respondWell(request));
  const transport = createUndiciTransport();
  const gateway = createGateway({
    providers: [createOpenAiProvider({ slug: 'up', name: 'Up', baseUrl, apiKey: 'key', transport })],
    models: [{ id: 'test/model', endpoints: [{ provider: 'up', providerModel: 'up-model' }] }],
    store: createMemoryStore(),
    platform: createNodePlatform(),
    bootstrapKeys: [
      { key: TEST_KEY, kind: 'api', name: 'test' },
      { key: TEST_MANAGEMENT_KEY, kind: 'management', name: 'admin' },
    ],
  });
  onTestFinished(async () => {
    await gateway.close();
    await transport.close();
  });
  return gateway;
}

const REQUESTS: readonly (readonly [what: string, path: string, key: string, body: object | null, status: number])[] = [
  ['a list', '/models', TEST_KEY, null, 200],
  ['a whole response', '/chat/completions', TEST_KEY, { messages: [{ role: 'user', content: 'Hi' }] }, 200],
  ['a stream', '/chat/completions', TEST_KEY, { stream: true, messages: [{ role: 'user', content: 'Hi' }] }, 200],
  ['a refused body', '/chat/completions', TEST_KEY, {}, 400],
  ['a wrong key', '/models/user', 'sk-wrong', null, 401],
  ['a key of the wrong kind', '/keys', TEST_KEY, null, 401],
  ['an unknown generation', '/generation?id=gen-none', TEST_KEY, null, 404],
];

test.each(HOST_KINDS.flatMap((host) => REQUESTS.map((request) => [host, ...request] as const)))(
  'on %s, %s tells browsers not to sniff its type',
  async (kind, _what, path, key, body, status) => {
    const host = await startHost(kind, await startGateway());
    onTestFinished(() => host.close());
    const response = await fetch(host.apiUrl + path, {
      method: body === null ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body && JSON.stringify({ model: 'test/model', ...body }),
    });
    await response.text();
    expect(response.status).toBe(status);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  },
);

interface RawCase {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

test.each<[what: string, request: RawCase, status: number]>([
  ['a path that does not exist', { path: '/nothing' }, 404],
  ['a health check', { method: 'GET', path: '/health' }, 200],
  ['an unknown host', { headers: { host: 'other.example' } }, 403],
  ['a preflight', { method: 'OPTIONS', headers: { origin: 'https://app.example' } }, 204],
  ['an expectation', { headers: { expect: 'something' } }, 417],
  ['a connection through it', { method: 'CONNECT', path: 'other.example:443' }, 405],
  ['no HTTP', { method: 'G@T' }, 400],
])('the listener has it in its response to %s', async (_what, { headers = {}, ...request }, status) => {
  const listener = await listen(await startGateway(), { port: 0, allowedOrigins: ['https://app.example'] });
  onTestFinished(() => listener.close());
  const client = await connectRaw(listener.port);
  client.write(toRequestBytes(listener.port, { ...request, headers: { connection: 'close', ...headers } }));
  const reply = await client.ended;
  expect(reply).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(reply.toLowerCase()).toContain('\r\nx-content-type-options: nosniff\r\n');
});
