import { createGateway, type Gateway, type Logger } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createNodePlatform, listen } from '@model-gateway/node';
import { createUndiciTransport } from '@model-gateway/node/undici';
import { expect, onTestFinished, test } from 'vitest';

import { connectRaw, toRequestBytes } from '../support/clients/raw-client.ts';
import { HOST_KINDS, startHost } from '../support/conformance/hosts.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY } from '../support/gateways/test-gateway.ts';
import { respondWell, startRawUpstream } from '../support/upstreams/raw-upstream.ts';

const NEW_ID = /^req-[0-9a-f]{12}-\d+$/;

interface StartOptions {
  readonly baseUrl?: string;
  readonly logger?: Logger;
}

async function startGateway({ logger, ...options }: StartOptions = {}): Promise<Gateway> {
  const { baseUrl } =
    options.baseUrl === undefined
      ? await startRawUpstream((request) => respondWell(request))
      : { baseUrl: options.baseUrl };
  const transport = createUndiciTransport();
  const gateway = createGateway({
    providers: [createOpenAiProvider({ slug: 'up', name: 'Up', baseUrl, apiKey: 'key', transport })],
    models: [{ id: 'test/model', endpoints: [{ provider: 'up', providerModel: 'up-model' }] }],
    store: createMemoryStore(),
    platform: createNodePlatform(),
    logger,
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
  'on %s, %s tells browsers not to sniff its type, and has an id: a new one, or that of its caller',
  async (kind, _what, path, key, body, status) => {
    const host = await startHost(kind, await startGateway());
    onTestFinished(() => host.close());
    const ids: (string | null)[] = [];
    for (const id of [null, null, 'Mine_1.a-b', 'a'.repeat(129), 'no id', '']) {
      const response = await fetch(host.apiUrl + path, {
        method: body === null ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          ...(id !== null && { 'x-request-id': id }),
        },
        body: body && JSON.stringify({ model: 'test/model', ...body }),
      });
      await response.text();
      expect(response.status).toBe(status);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      ids.push(response.headers.get('x-request-id'));
    }
    const made = ids.filter((id) => id !== 'Mine_1.a-b');
    expect(ids[2]).toBe('Mine_1.a-b');
    for (const id of made) expect(id).toMatch(NEW_ID);
    expect(new Set(made).size).toBe(5);
  },
);

test.each(HOST_KINDS)('on %s, what is at no path has an id, too', async (kind) => {
  const host = await startHost(kind, await startGateway());
  onTestFinished(() => host.close());
  const response = await fetch(`${host.apiUrl}/nothing/at/all`, { headers: { 'x-request-id': 'mine' } });
  await response.text();
  expect(response.status).toBe(404);
  // Express responds itself where the gateway has no route.
  if (!kind.startsWith('express')) expect(response.headers.get('x-request-id')).toBe('mine');
});

test('the log names a request as its response does', async () => {
  const lines: { readonly message: string; readonly fields?: Readonly<Record<string, unknown>> | undefined }[] = [];
  const note = (message: string, fields?: Readonly<Record<string, unknown>>): void =>
    void lines.push({ message, fields });
  const failing = await startRawUpstream(({ socket }) => void socket.destroy());
  const gateway = await startGateway({ baseUrl: failing.baseUrl, logger: { info: note, warn: note, error: note } });
  const host = await startHost('node', gateway);
  onTestFinished(() => host.close());
  const ids: (string | null)[] = [];
  for (const stream of [false, true]) {
    const response = await fetch(`${host.apiUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/model', stream, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    await response.text();
    ids.push(response.headers.get('x-request-id'));
  }
  const failures = lines.filter(({ message }) => message === 'a call failed');
  expect(failures.map(({ fields }) => fields?.['requestId'])).toEqual(ids);
  expect(ids[0]).toMatch(NEW_ID);
});

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
  client.write(
    toRequestBytes(listener.port, { ...request, headers: { connection: 'close', 'x-request-id': 'mine', ...headers } }),
  );
  const reply = await client.ended;
  expect(reply).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(reply.toLowerCase()).toContain('\r\nx-content-type-options: nosniff\r\n');
  if (request.method === 'OPTIONS') {
    expect(reply).toMatch(/access-control-allow-methods: GET, POST, PUT, PATCH, DELETE\r\n/i);
  }
  // Those two are answered before there is a request.
  const isRequest = status !== 405 && status !== 400;
  if (isRequest) expect(reply).toContain('\r\nx-request-id: mine\r\n');
});
