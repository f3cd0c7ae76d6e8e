import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';

import type { ModelDefinition, Provider } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { listen } from '@model-gateway/node';
import { createUndiciTransport, type UndiciTransport } from '@model-gateway/node/undici';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { HOST_KINDS, type HostKind, startHost } from '../../support/conformance/hosts.ts';
import { createTestGateway, TEST_KEY, type TestGateway } from '../../support/gateways/test-gateway.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts';

const REGIONAL_HOST = 'eu.gateway.example';
const MODELS: readonly ModelDefinition[] = [
  {
    id: 'r/both',
    endpoints: [
      { provider: 'far', providerModel: 'far', pricing: { prompt: '0', completion: '0' } },
      { provider: 'near', providerModel: 'near', pricing: { prompt: '0.001', completion: '0.001' } },
    ],
  },
  { id: 'r/far', endpoints: [{ provider: 'far', providerModel: 'far' }] },
];

let upstream: ScriptedUpstream;
let transport: UndiciTransport;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  transport = createUndiciTransport();
  const toProvider = (slug: string, region: string): Provider =>
    createOpenAiProvider({ slug, region, baseUrl: upstream.baseUrl, transport });
  gateway = createTestGateway(upstream, {
    providers: [toProvider('far', 'us'), toProvider('near', 'eu')],
    models: MODELS,
    regions: [{ name: 'eu', hosts: [REGIONAL_HOST] }],
  });
});
afterAll(async () => {
  await gateway.close();
  await transport.close();
  await upstream.close();
});

interface Reached {
  readonly apiUrl: string;
  close(): Promise<unknown>;
}

/** The server's own listener admits only the names that it is told. */
async function reach(kind: HostKind): Promise<Reached> {
  if (kind !== 'node') return startHost(kind, gateway.gateway);
  const listener = await listen(gateway.gateway, { host: '127.0.0.1', port: 0, allowedHosts: [REGIONAL_HOST] });
  return { apiUrl: `${listener.url}/api/v1`, close: () => listener.close() };
}

/** Sends a request under a name, as a client would that had looked it up. */
async function send(url: string, host: string, body?: object): Promise<{ status: number; body: unknown }> {
  const { status, sent } = await new Promise<{ status: number; sent: Promise<string> }>((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' };
    const sending = httpRequest(url, { method: body === undefined ? 'GET' : 'POST', headers }, (response) =>
      resolve({ status: response.statusCode ?? 0, sent: text(response) }),
    );
    sending.on('error', reject);
    sending.end(body === undefined ? undefined : JSON.stringify(body));
  });
  return { status, body: JSON.parse(await sent) };
}

test.each(HOST_KINDS)('the host %s keeps what comes under a regional name in its region', async (kind) => {
  const { apiUrl, close } = await reach(kind);
  const ask = (host: string, model: string): Promise<{ status: number; body: unknown }> =>
    send(`${apiUrl}/chat/completions`, host, { model, messages: [{ role: 'user', content: 'Hello!' }] });
  expect(await ask(REGIONAL_HOST, 'r/both')).toMatchObject({ status: 200, body: { provider: 'near' } });
  const { host, port } = new URL(apiUrl);
  expect(await ask(`${REGIONAL_HOST}:${port}`, 'r/both')).toMatchObject({ body: { provider: 'near' } });
  expect(await ask(REGIONAL_HOST, 'r/far')).toMatchObject({ status: 404 });
  expect(await ask(host, 'r/both')).toMatchObject({ status: 200, body: { provider: 'far' } });
  expect(await send(`${apiUrl}/models/user`, REGIONAL_HOST)).toMatchObject({ body: { total_count: 1 } });
  await close();
});
