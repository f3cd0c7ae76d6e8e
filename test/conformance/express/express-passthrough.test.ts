import { type Gateway, GatewayError, type GatewayOptions } from '@model-gateway/core';
import { gatewayRouter, type GatewayRouterOptions } from '@model-gateway/express';
import express5, { type RequestHandler } from 'express';
import express4 from 'express-4';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { sendRaw } from '../../support/clients/send-raw.ts';
import { startApp } from '../../support/conformance/hosts.ts';
import { chat, withKey } from '../../support/gateways/chat.ts';
import { createTestGateway, TEST_KEY, TEST_MANAGEMENT_KEY } from '../../support/gateways/test-gateway.ts';
import { type ForwardTarget, startForwardTarget } from '../../support/upstreams/forward-target.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts';

const TARGET_KEY = 'sk-or-v1-of-the-operator';
const EMBEDDING = JSON.stringify({ model: 'acme/embed', input: 'Hello! ☕' });

interface StartOptions extends GatewayRouterOptions {
  readonly before?: readonly RequestHandler[];
  /** Authentication of the gateway, as against that of its router. */
  readonly signIn?: GatewayOptions['authenticate'];
}

describe.each([
  ['4', express4],
  ['5', express5],
])('passthrough on Express %s', (_, express) => {
  let upstream: ScriptedUpstream;
  let target: ForwardTarget;
  const cleanups: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    upstream = await startScriptedUpstream();
    target = await startForwardTarget();
    cleanups.push(upstream.close, target.close);
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  /** Serves a gateway with passthrough at `/ai`; gives the address of its API. */
  const start = async (
    passthrough: GatewayRouterOptions['passthrough'],
    { before = [], signIn, ...options }: StartOptions = {},
  ): Promise<string> => {
    const { gateway, close } = createTestGateway(upstream, { authenticate: signIn });
    const app = express();
    for (const handler of before) app.use(handler);
    app.use('/ai', gatewayRouter(gateway, { ...options, passthrough }));
    app.use((_request, response) => void response.status(418).send('the host'));
    const host = await startApp(app, '/ai');
    cleanups.push(close, host.close);
    return host.apiUrl;
  };

  const embed = (url: string, headers: Record<string, string> = withKey().headers): Promise<Response> =>
    fetch(`${url}/fine_tuning/jobs?verbose=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: EMBEDDING,
    });

  test.each([
    ['no parser', () => []],
    ['json()', () => [express.json()]],
    ['raw()', () => [express.raw({ type: () => true })]],
    ['text()', () => [express.text({ type: () => true })]],
  ] satisfies [string, () => RequestHandler[]][])(
    'sends on what the gateway does not have, after %s',
    async (...row) => {
      const url = await start({ target: target.address }, { before: row[1]() });
      const response = await embed(url);
      expect([response.status, await response.text()]).toEqual([200, '{"data":[]}']);
      expect(target.forwarded).toMatchObject([
        {
          method: 'POST',
          url: '/upstream/api/v1/fine_tuning/jobs?verbose=1',
          headers: { host: new URL(target.address).host, 'content-type': 'application/json' },
          body: EMBEDDING,
        },
      ]);
    },
  );

  test('keeps what the gateway has, and leaves what is not below the API to the host', async () => {
    const url = await start({ target: target.address });
    expect(await chat(url, { model: 'test/text', messages: [{ role: 'user', content: 'Hi' }] })).toMatchObject({
      status: 200,
    });
    expect((await fetch(`${new URL(url).origin}/ai/elsewhere`)).status).toBe(418);
    expect((await fetch(`${new URL(url).origin}/ai/api/v2/fine_tuning/jobs`)).status).toBe(418);
    expect(target.forwarded).toEqual([]);
  });

  test.each([
    ['an API key', TEST_KEY],
    ['a management key', TEST_MANAGEMENT_KEY],
  ])('puts its own key in place of that of a caller with %s', async (_name, key) => {
    const url = await start({ target: target.address, apiKey: TARGET_KEY });
    await embed(url, { ...withKey(key).headers, 'x-api-key': key });
    expect(target.forwarded[0]?.headers).toMatchObject({ authorization: `Bearer ${TARGET_KEY}` });
    expect(JSON.stringify(target.forwarded[0]?.headers)).not.toContain(key);
  });

  test.each([
    ['no key', {}],
    ['an unknown key', withKey('sk-gw-v1-unknown').headers],
  ])('refuses a caller with %s, so that no other caller uses its own key', async (_name, headers) => {
    const response = await embed(await start({ target: target.address, apiKey: TARGET_KEY }), headers);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: 401, metadata: { error_type: 'authentication' } } });
    expect(target.forwarded).toEqual([]);
  });

  test('asks the authentication of the host where there is one', async () => {
    const url = await start(
      { target: target.address, apiKey: TARGET_KEY },
      {
        authenticate: ({ headers }) =>
          headers['x-session'] === 'alice' ? { kind: 'api', id: 'alice', name: 'Alice' } : null,
      },
    );
    expect((await embed(url)).status).toBe(401);
    expect((await embed(url, { 'x-session': 'alice' })).status).toBe(200);
    expect(target.forwarded).toMatchObject([{ headers: { authorization: `Bearer ${TARGET_KEY}` } }]);
  });

  test('says when to try again where the authentication of the gateway does', async () => {
    const signIn = () => Promise.reject(new GatewayError('provider_overloaded', 'Busy', { retryAfterSeconds: 3 }));
    const response = await embed(await start({ target: target.address, apiKey: TARGET_KEY }, { signIn }));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '3']);
  });

  test('passes the key of the caller on as it is when it has none of its own', async () => {
    const url = await start({ target: target.address });
    await embed(url, withKey('sk-or-v1-of-the-caller').headers);
    await embed(url, {});
    expect(target.forwarded.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-or-v1-of-the-caller',
      undefined,
    ]);
  });

  test.each([
    '/ai/api/v1/../../admin',
    '/ai/api/v1/x/../../../admin',
    '/ai/api/v1/%2e%2E/%2e%2e/admin',
    '/ai/api/v1/..%2f..%2Fadmin',
    '/ai/api/v1/..\\..\\admin',
    '/ai/api/v1/..;/..;/admin',
    '/ai/api/v1/./fine_tuning/jobs',
  ])('leaves a path that could lead out of the target to the host (%s)', async (path) => {
    const url = await start({ target: target.address, apiKey: TARGET_KEY });
    expect(await sendRaw(url, path, withKey())).toMatchObject({ status: 418 });
    expect(target.forwarded).toEqual([]);
  });

  test.each([
    '/ai/api/v1/chat/completions/',
    '/ai/api/v1/chat/%63ompletions',
    '/ai/api/v1/chat/%2563ompletions',
    '/ai/api/v1/chat%2Fcompletions',
    '/ai/api/v1/chat\\completions',
    '/ai/api/v1/chat//completions',
    '/ai/api/v1//chat/completions',
    '/ai/api/v1/chat;x=1/completions;y',
    '/ai/api/v1/Chat/Completions',
    '/ai/api/v1/KEYS/abc/',
    '/ai/api/v1/fine_tuning/%zz',
  ])('leaves another spelling of a path that the gateway has to the host (%s)', async (path) => {
    const url = await start({ target: target.address, apiKey: TARGET_KEY });
    expect(await sendRaw(url, path, { method: 'POST', ...withKey() })).toMatchObject({ status: 418 });
    expect(target.forwarded).toEqual([]);
  });

  test('leaves a path that the gateway has to the host with other methods, too', async () => {
    const url = await start({ target: target.address, apiKey: TARGET_KEY });
    const response = await fetch(`${url}/chat/completions`, { method: 'PUT', ...withKey() });
    expect([response.status, target.forwarded]).toEqual([418, []]);
  });

  test.each([
    ['viewer', 403],
    ['billing', 403],
    ['developer', 200],
  ] as const)('lets a member with the role %s use its own key: %d', async (role, status) => {
    const url = await start(
      { target: target.address, apiKey: TARGET_KEY },
      {
        authenticate: () => ({
          kind: 'management',
          id: 'm',
          name: 'Mo',
          userId: 'mo',
          member: { role, workspaces: new Map() },
        }),
      },
    );
    expect([(await embed(url)).status, target.forwarded.length]).toEqual([status, status === 200 ? 1 : 0]);
  });

  test('says so when the host has used the body up', async () => {
    const drain: RequestHandler = (request, _response, next) => void request.on('end', next).resume();
    const response = await embed(await start({ target: target.address }, { before: [drain] }));
    expect([response.status, target.forwarded]).toEqual([422, []]);
  });
});

test.each(['host/api/v1', 'ftp://host/api/v1', 'https://user:secret@host/api/v1', 'https://host/api/v1?key=secret'])(
  'refuses the target %s when it is set up',
  async (target) => {
    const gateway = { matches: () => false } as unknown as Gateway;
    expect(() => gatewayRouter(gateway, { passthrough: { target } })).toThrow(RangeError);
  },
);
