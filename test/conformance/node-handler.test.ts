import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';

import type { GatewayRequest, GatewayResponse, Principal } from '@model-gateway/core';
import { type NodeHandlerOptions, toNodeHandler } from '@model-gateway/node';
import express from 'express';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { createDeferred } from '../support/async/deferred.ts';
import { startApp } from '../support/conformance/hosts.ts';
import { chat, withKey } from '../support/gateways/chat.ts';
import { createTestGateway, TEST_KEY, TEST_MANAGEMENT_KEY } from '../support/gateways/test-gateway.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';

const HELLO = { model: 'test/text', messages: [{ role: 'user', content: 'Hello!' }] };
const ALICE: Principal = { kind: 'api', id: 'alice', name: 'Alice' };

let upstream: ScriptedUpstream;
const cleanups: (() => Promise<void>)[] = [];
beforeEach(async () => {
  upstream = await startScriptedUpstream();
  cleanups.push(upstream.close);
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const createGateway = (options: Parameters<typeof createTestGateway>[1] = {}): ReturnType<typeof createTestGateway> => {
  const made = createTestGateway(upstream, options);
  cleanups.push(made.close);
  return made;
};

/** Serves an application; resolves with its origin. */
const start = async (app: RequestListener): Promise<string> => {
  const { apiUrl, close } = await startApp(app);
  cleanups.push(close);
  return new URL(apiUrl).origin;
};

/** Serves a gateway at `/ai` and nothing else; resolves with the address of its mount. */
const mount = async (options: NodeHandlerOptions = {}, { gateway } = createGateway()): Promise<string> =>
  `${await start(toNodeHandler(gateway, { mountPath: '/ai', ...options }))}/ai`;

// Paths

test.each(['', '/', '/ai', '/ai/', '/deep/er/mount'])('serves the API below the mount path "%s"', async (mountPath) => {
  const origin = await start(toNodeHandler(createGateway().gateway, { mountPath }));
  const url = `${origin}${mountPath.replace(/\/$/, '')}/api/v1`;
  expect(await chat(url, HELLO)).toMatchObject({
    status: 200,
    body: { choices: [{ message: { content: expect.stringContaining('Hello there') } }] },
  });
  expect(await (await fetch(`${url}/models?limit=1&q=text`, withKey())).json()).toMatchObject({ total_count: 1 });
});

const ELSEWHERE: readonly (readonly [string, string])[] = [
  ['GET', '/ai/api/v1/unheard-of'],
  ['GET', '/ai/api/v1/models%2f'],
  ['GET', '/ai/health'],
  ['GET', '/ai/metrics'],
  ['GET', '/ai/openapi.json'],
  ['GET', '/ai/admin/v1/keys'],
  ['GET', '/ai'],
  ['GET', '/aix/api/v1/models'],
  ['GET', '/api/v1/models'],
  ['GET', '/'],
];

test.each(ELSEWHERE)(
  'responds to %s %s with 404 in the form of the API where nothing comes next',
  async (method, path) => {
    const origin = new URL(await mount()).origin;
    const response = await fetch(origin + path, { ...withKey(TEST_MANAGEMENT_KEY), method });
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json']);
    expect(await response.json()).toEqual({
      error: { code: 404, message: 'There is nothing at this path', metadata: { error_type: 'not_found' } },
    });
  },
);

test.each<readonly [string, string]>([...ELSEWHERE, ['DELETE', '/ai/api/v1/models'], ['OPTIONS', '/ai/api/v1/models']])(
  'leaves %s %s to the next handler',
  async (method, path) => {
    const handle = toNodeHandler(createGateway().gateway, { mountPath: '/ai' });
    const origin = await start((request, response) =>
      handle(request, response, () => response.writeHead(418).end(`${request.method} ${request.url}`)),
    );
    const response = await fetch(origin + path, { ...withKey(), method });
    expect([response.status, await response.text()]).toEqual([418, `${method} ${path}`]);
  },
);

test('names the methods of a path where nothing comes next', async () => {
  const response = await fetch(`${await mount()}/api/v1/models`, { ...withKey(), method: 'DELETE' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('offers further routes where they are exposed', async () => {
  const url = await mount({ expose: ['health', 'metrics', 'openapi', 'admin'] });
  const paths = ['health', 'ready', 'metrics', 'openapi.json', 'admin/v1/keys'];
  const ask = async (path: string): Promise<number> =>
    (await fetch(`${url}/${path}`, withKey(TEST_MANAGEMENT_KEY))).status;
  expect(await Promise.all(paths.map(ask))).toEqual([200, 200, 200, 200, 200]);
});

test.each([
  ['removes the path', (handle: express.RequestHandler) => express().use('/ai', handle), {}],
  [
    'removes a path that is given to the handler, too',
    (handle: express.RequestHandler) => express().use('/ai', handle),
    { mountPath: '/ai' },
  ],
  ['removes no path', (handle: express.RequestHandler) => express().use(handle), { mountPath: '/ai' }],
])('serves the API inside of middleware that %s', async (_, toApp, options) => {
  const app = toApp(toNodeHandler(createGateway().gateway, options));
  app.use((request, response) => void response.status(418).send(request.originalUrl));
  const origin = await start(app);
  const first = await fetch(`${origin}/ai/api/v1/models?limit=1`, withKey());
  expect(await first.json()).toMatchObject({ links: { next: '/ai/api/v1/models?limit=1&offset=1' } });
  expect(await (await fetch(`${origin}/elsewhere?a=b`)).text()).toBe('/elsewhere?a=b');
});

// What the client sees

test.each([
  { options: {}, seen: { baseUrl: /^http:\/\/127\.0\.0\.1:\d+\/ai$/, remoteAddress: undefined } },
  {
    options: { trustedProxies: ['127.0.0.1'] },
    seen: { baseUrl: /^https:\/\/api\.example\.com:8443\/ai$/, remoteAddress: '203.0.113.7' },
  },
  {
    options: { publicOrigin: 'https://app.example/' },
    seen: { baseUrl: /^https:\/\/app\.example\/ai$/, remoteAddress: undefined },
  },
])('goes by the public address of the host ($options)', async ({ options, seen }) => {
  const requests: GatewayRequest[] = [];
  const made = createGateway();
  const handle = (request: GatewayRequest): Promise<GatewayResponse> => {
    requests.push(request);
    return made.gateway.handle(request);
  };
  const url = await mount(options, { ...made, gateway: { ...made.gateway, handle } });
  const forwarded = {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'api.example.com:8443',
    'x-forwarded-for': '203.0.113.7',
  };
  await fetch(`${url}/api/v1/models`, { headers: forwarded });
  expect(requests[0]?.baseUrl).toMatch(seen.baseUrl);
  expect(requests[0]?.remoteAddress).toBe(seen.remoteAddress);
});

// Bodies

const parsers = {
  'nothing before it': undefined,
  'json()': express.json({ limit: '1mb' }),
  'raw()': express.raw({ type: () => true, limit: '1mb' }),
  'text()': express.text({ type: () => true, limit: '1mb' }),
};

test.each(Object.entries(parsers))('takes a body, and holds its own limit, after %s', async (_, parser) => {
  const app = express();
  if (parser !== undefined) app.use(parser);
  const { gateway } = createGateway();
  const url = `${await start(app.use(toNodeHandler(gateway, { mountPath: '/ai', bodyLimitBytes: 1000 })))}/ai/api/v1`;
  expect(await chat(url, HELLO)).toMatchObject({ status: 200 });
  const tooLarge = { ...HELLO, messages: [{ role: 'user', content: 'x'.repeat(2000) }] };
  expect(await chat(url, tooLarge)).toMatchObject({ status: 413, body: { error: { code: 413 } } });
});

test('says so when the host has used the body up', async () => {
  const handle = toNodeHandler(createGateway().gateway);
  const url = await start((request, response) => void request.on('end', () => handle(request, response)).resume());
  expect(await chat(`${url}/api/v1`, HELLO)).toMatchObject({
    status: 422,
    body: { error: { message: expect.stringContaining('leave the body in request.body') } },
  });
});

// Sign-in

interface SignedIn extends IncomingMessage {
  user?: string;
}

test.each([
  ['at once', (principal: Principal | null) => principal],
  ['later', async (principal: Principal | null) => principal],
])('lets the host authenticate %s in place of keys', async (_, respond) => {
  const { gateway, nextRecord } = createGateway();
  const handle = toNodeHandler(gateway, {
    expose: ['health'],
    authenticate: ({ user }: SignedIn) => respond(user === 'alice' ? ALICE : null),
  });
  const url = await start((request: SignedIn, response) => {
    request.user = String(request.headers['x-user']);
    handle(request, response);
  });
  const send = (user: string, path = 'chat/completions'): Promise<Response> =>
    fetch(`${url}/api/v1/${path}`, {
      method: 'POST',
      headers: { 'x-user': user, 'content-type': 'application/json', ...withKey().headers },
      body: JSON.stringify(HELLO),
    });
  const record = nextRecord();
  expect((await send('alice')).status).toBe(200);
  expect((await record).principalId).toBe('alice');
  const refused = await send('mallory');
  expect(refused.status).toBe(401);
  expect(await refused.json()).toMatchObject({ error: { code: 401, metadata: { error_type: 'authentication' } } });
  // In the form of Anthropic's API, as every error of this path.
  expect(await (await send('mallory', 'messages')).json()).toMatchObject({ type: 'error' });
  expect((await fetch(`${url}/health`)).status).toBe(200);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('the session store is down');
    },
  ],
  ['rejects with', () => Promise.reject(new Error('the session store is down'))],
])('responds with 500 to what the authentication of the host %s, and logs it', async (_, authenticate) => {
  const logged: unknown[] = [];
  const log = (message: string, fields?: object): void => void logged.push({ message, ...fields });
  const made = createGateway({ logger: { info: () => undefined, warn: () => undefined, error: log } });
  const response = await chat(`${await mount({ authenticate }, made)}/api/v1`, HELLO);
  expect(response).toMatchObject({ status: 500, body: { error: { code: 500 } } });
  expect(JSON.stringify(response.body)).not.toContain('session store');
  expect(logged).toMatchObject([{ reason: expect.stringContaining('the session store is down') }]);
});

// Clients that leave

test('closes the call upstream when the client of a stream leaves', async () => {
  const made = createGateway();
  const [call, record, leaving] = [upstream.nextCall(), made.nextRecord(), new AbortController()];
  const { headers } = withKey();
  const response = await fetch(`${await mount({}, made)}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...HELLO, model: 'test/held', stream: true }),
    signal: leaving.signal,
  });
  await response.body?.getReader().read();
  leaving.abort();
  expect(await (await call).closed).toBe(false);
  expect((await record).generation.cancelled).toBe(true);
});

test.each([
  ['still to be read', []],
  ['parsed', [express.json()]],
])('calls no model for a client that left while the host was authenticating, its body %s', async (_, before) => {
  const [asked, authenticated] = [createDeferred<IncomingMessage>(), createDeferred<Principal>()];
  const handled: Promise<GatewayResponse>[] = [];
  const { gateway } = createGateway();
  const handle = (request: GatewayRequest): Promise<GatewayResponse> => {
    const response = gateway.handle(request);
    handled.push(response);
    return response;
  };
  const handler = toNodeHandler(
    { ...gateway, handle },
    {
      authenticate(request) {
        asked.resolve(request);
        return authenticated.promise;
      },
    },
  );
  const url = await start(express().use(...before, handler));
  const leaving = new AbortController();
  const pending = chat(`${url}/api/v1`, HELLO, TEST_KEY, leaving.signal).catch((error: Error) => error.name);
  const closed = once((await asked.promise).socket, 'close');
  leaving.abort();
  await closed;
  authenticated.resolve(ALICE);
  expect(await pending).toBe('AbortError');
  expect((await handled[0])?.status).toBe(499);
  expect(upstream.calls).toEqual([]);
});
