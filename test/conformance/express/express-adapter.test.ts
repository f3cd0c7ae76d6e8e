import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import type { GatewayRequest, GatewayResponse, Principal } from '@model-gateway/core';
import { gatewayRouter } from '@model-gateway/express';
import compression from 'compression';
import express5, { type ErrorRequestHandler, type RequestHandler } from 'express';
import express4 from 'express-4';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { createDeferred } from '../../support/async/deferred.ts';
import { startApp } from '../../support/conformance/hosts.ts';
import { chat, withKey } from '../../support/gateways/chat.ts';
import { createTestGateway, TEST_KEY, TEST_MANAGEMENT_KEY, TEST_MODELS } from '../../support/gateways/test-gateway.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts';

const HELLO = { model: 'test/text', messages: [{ role: 'user', content: 'Hello!' }] };
const API_PRINCIPAL: Principal = { kind: 'api', id: 'user-1', name: 'User 1' };

describe.each([
  ['4', express4],
  ['5', express5],
])('on Express %s', (_, express) => {
  let upstream: ScriptedUpstream;
  const cleanups: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    upstream = await startScriptedUpstream();
    cleanups.push(upstream.close);
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  const createGateway = (
    options: Parameters<typeof createTestGateway>[1] = {},
  ): ReturnType<typeof createTestGateway> => {
    const made = createTestGateway(upstream, options);
    cleanups.push(made.close);
    return made;
  };

  /** Serves an application; gives its address without a path. */
  const start = async (app: express5.Express): Promise<string> => {
    const { apiUrl, close } = await startApp(app);
    cleanups.push(close);
    return new URL(apiUrl).origin;
  };

  test.each(['', '/ai', '/deep/er/mount', '/:tenant/ai'])('serves the API below the mount path "%s"', async (path) => {
    const app = express();
    app.use(path === '' ? '/' : path, gatewayRouter(createGateway().gateway));
    const url = `${await start(app)}${path.replace(':tenant', 'acme')}/api/v1`;
    const response = await chat(url, HELLO);
    const count = await fetch(`${url}/models/count?output_modalities=text`, withKey());
    expect(response).toMatchObject({
      status: 200,
      body: { choices: [{ message: { content: expect.stringContaining('Hello there') } }] },
    });
    expect(await count.json()).toEqual({ data: { count: TEST_MODELS.length } });
  });

  test.each([
    ['GET', '/ai/api/v1/unheard-of'],
    ['DELETE', '/ai/api/v1/models'],
    ['GET', '/ai/api/v1/chat/completions'],
    ['OPTIONS', '/ai/api/v1/models'],
    ['GET', '/ai/health'],
    ['GET', '/ai/metrics'],
    ['GET', '/ai/openapi.json'],
    ['GET', '/ai'],
    ['GET', '/ai/api/v1/models%2f'],
    ['GET', '/api/v1/models'],
  ])('leaves %s %s to the host', async (method, path) => {
    const app = express();
    app.use('/ai', gatewayRouter(createGateway().gateway));
    app.use((request, response) => void response.status(418).send(`${request.method} ${request.originalUrl}`));
    const response = await fetch((await start(app)) + path, { ...withKey(), method });
    expect(response.status).toBe(418);
    expect(await response.text()).toBe(`${method} ${path}`);
  });

  test('offers further routes where they are exposed', async () => {
    const app = express().use(
      '/ai',
      gatewayRouter(createGateway().gateway, { expose: ['health', 'metrics', 'openapi'] }),
    );
    const url = `${await start(app)}/ai`;
    const statuses = await Promise.all(
      ['health', 'ready', 'metrics', 'openapi.json'].map(async (path) => (await fetch(`${url}/${path}`)).status),
    );
    expect(statuses).toEqual([200, 200, 200, 200]);
  });

  test('asks for a key for metrics when the request came through a proxy, even one on this machine', async () => {
    const app = express().use(gatewayRouter(createGateway().gateway, { expose: ['metrics'] }));
    const url = `${await start(app)}/metrics`;
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    expect((await fetch(url, { headers })).status).toBe(401);
    expect((await fetch(url, { headers: { ...headers, ...withKey(TEST_MANAGEMENT_KEY).headers } })).status).toBe(200);
  });

  test('answers HEAD as GET without its body', async () => {
    const app = express().use(gatewayRouter(createGateway().gateway));
    const response = await fetch(`${await start(app)}/api/v1/models`, { ...withKey(), method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  test('answers its own errors itself, so that the error handler of the host is not called', async () => {
    const handled: unknown[] = [];
    const onError: ErrorRequestHandler = (error, _request, response, _next) => {
      handled.push(error);
      response.status(418).end();
    };
    const app = express().use(gatewayRouter(createGateway().gateway)).use(onError);
    const url = `${await start(app)}/api/v1`;
    const refused = await Promise.all([
      chat(url, { ...HELLO, temperature: 3 }),
      chat(url, HELLO, 'sk-gw-v1-unknown'),
      chat(url, HELLO, TEST_MANAGEMENT_KEY),
      chat(url, { ...HELLO, provider: { only: ['nobody'] } }),
      chat(url, { ...HELLO, model: 'test/broken' }),
      chat(url, '{"messages":'),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([400, 401, 403, 404, 502, 400]);
    expect(refused.map(({ body }) => body.error.code)).toEqual([400, 401, 403, 404, 502, 400]);
    expect(handled).toEqual([]);
  });

  test('streams chunk by chunk through compression(), and lets it compress whole responses', async () => {
    const app = express().use(compression({ threshold: 0 }), gatewayRouter(createGateway().gateway));
    const url = `${await start(app)}/api/v1`;
    const call = upstream.nextCall();
    const streaming = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { ...withKey().headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...HELLO, model: 'test/held', stream: true }),
    });
    const reader = (streaming.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      text += piece.value;
      // The upstream holds the rest back until its beginning has been read: buffered, the stream would never end.
      if (text.includes('there, ')) upstream.release();
    }
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
    expect(await (await call).closed).toBe(true);

    const models = await fetch(`${url}/models`, { headers: { ...withKey().headers, 'accept-encoding': 'gzip' } });
    expect(models.headers.get('content-encoding')).toBe('gzip');
    expect(await models.json()).toMatchObject({ total_count: TEST_MODELS.length });
  });

  test.each([
    { trust: false, baseUrl: /^http:\/\/127\.0\.0\.1:\d+\/ai$/, remoteAddress: '127.0.0.1' },
    { trust: 'loopback', baseUrl: /^https:\/\/api\.example\.com:8443\/ai$/, remoteAddress: '203.0.113.7' },
  ])('believes forwarded headers as "trust proxy" says ($trust)', async ({ trust, baseUrl, remoteAddress }) => {
    const seen: GatewayRequest[] = [];
    const { gateway } = createGateway({
      authenticate: (request) => {
        seen.push(request);
        return API_PRINCIPAL;
      },
    });
    const app = express().set('trust proxy', trust).use('/ai', gatewayRouter(gateway));
    const forwarded = {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'api.example.com:8443',
      'x-forwarded-for': '203.0.113.7',
    };
    await fetch(`${await start(app)}/ai/api/v1/models`, { headers: forwarded });
    expect(seen[0]?.baseUrl).toMatch(baseUrl);
    // A client behind a proxy that is not trusted may be any machine, so it does not count as this machine.
    expect(seen[0]?.remoteAddress).toBe(trust === false ? undefined : remoteAddress);
  });

  test('lets the host authenticate in place of keys', async () => {
    const { gateway, nextRecord } = createGateway();
    const sessions = new Map([['alice', API_PRINCIPAL]]);
    const app = express().use(
      gatewayRouter(gateway, {
        expose: ['health'],
        authenticate: async (request: express5.Request) => sessions.get(request.get('x-session') ?? '') ?? null,
      }),
    );
    const url = await start(app);
    const record = nextRecord();
    const send = (session: string): Promise<Response> =>
      fetch(`${url}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { 'x-session': session, 'content-type': 'application/json', ...withKey().headers },
        body: JSON.stringify(HELLO),
      });
    const refused = await send('mallory');
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: { code: 401, metadata: { error_type: 'authentication' } } });
    expect((await send('alice')).status).toBe(200);
    expect((await record).principalId).toBe('user-1');
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  test('hands what the authentication of the host throws to the error handler of the host', async () => {
    const onError: ErrorRequestHandler = (error: Error, _request, response, _next) =>
      void response.status(418).send(error.message);
    const app = express()
      .use(
        gatewayRouter(createGateway().gateway, {
          authenticate: () => Promise.reject(new Error('the session store is down')),
        }),
      )
      .use(onError);
    const response = await fetch(`${await start(app)}/api/v1/models`);
    expect([response.status, await response.text()]).toEqual([418, 'the session store is down']);
  });

  test('does not ask the gateway on behalf of a client that left while the host was authenticating', async () => {
    const { gateway } = createGateway();
    const leaving = new AbortController();
    const asked = createDeferred<ServerResponse>();
    const authenticated = createDeferred<Principal>();
    const handled: GatewayRequest[] = [];
    const handle = (request: GatewayRequest): Promise<GatewayResponse> => {
      handled.push(request);
      return gateway.handle(request);
    };
    const router = gatewayRouter(
      { ...gateway, handle },
      {
        authenticate: (request: express5.Request) => {
          asked.resolve(request.res as ServerResponse);
          return authenticated.promise;
        },
      },
    );
    const url = await start(express().use(express.json(), router));
    const pending = chat(`${url}/api/v1`, HELLO, TEST_KEY, leaving.signal).catch((error: Error) => error.name);
    const closed = once(await asked.promise, 'close');
    leaving.abort();
    await closed;
    authenticated.resolve(API_PRINCIPAL);
    // The router's next steps take no more than promises that are settled already.
    await new Promise(setImmediate);
    expect(await pending).toBe('AbortError');
    expect(handled).toEqual([]);
  });

  test('closes the call upstream when the host has answered meanwhile', async () => {
    const { gateway, nextRecord } = createGateway({ timeouts: { keepAliveMs: 1 } });
    const [call, record] = [upstream.nextCall(), nextRecord()];
    const limit: RequestHandler = (_request, response, next) => {
      void call.then(() => response.status(503).send('too slow'));
      next();
    };
    const url = await start(express().use(limit, gatewayRouter(gateway)));
    const response = await fetch(`${url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { ...withKey().headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...HELLO, model: 'test/hang', stream: true }),
    });
    expect([response.status, await response.text()]).toEqual([503, 'too slow']);
    expect(await (await call).closed).toBe(false);
    expect((await record).generation.cancelled).toBe(true);
  });

  test('keeps two gateways in one application apart', async () => {
    const first = createGateway();
    const second = createGateway({
      bootstrapKeys: [{ key: 'sk-gw-v1-second', kind: 'api', name: 'second' }],
      models: [],
    });
    const app = express().use('/first', gatewayRouter(first.gateway)).use('/second', gatewayRouter(second.gateway));
    const url = await start(app);
    const { body } = await chat(`${url}/first/api/v1`, HELLO);
    const read = (mount: string, key: string): Promise<Response> =>
      fetch(`${url}/${mount}/api/v1/generation?id=${body.id}`, withKey(key));
    expect((await read('first', TEST_KEY)).status).toBe(200);
    expect((await read('second', TEST_KEY)).status).toBe(401);
    expect((await read('second', 'sk-gw-v1-second')).status).toBe(404);
    expect([first.recordCount(), second.recordCount()]).toEqual([1, 0]);
    await second.gateway.close();
    expect((await read('second', 'sk-gw-v1-second')).status).toBe(503);
    expect((await read('first', TEST_KEY)).status).toBe(200);
  });
});
