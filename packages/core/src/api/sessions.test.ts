import { expect, test } from 'vitest';

import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import {
  API_KEY,
  type CoreGateway,
  createCoreGateway,
  jsonOf,
  MANAGEMENT_KEY,
} from '../../../../test/support/gateways/core-gateway.ts';
import { createScriptedTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { createKeyRecord } from '../auth/keys.ts';
import { createSessions } from '../auth/sessions.ts';
import { GatewayError } from '../foundation/errors.ts';
import { createWebPlatform } from '../foundation/platform.ts';
import type { GatewayRequest } from '../http/request.ts';
import type { GatewayOptions } from '../options.ts';

const BASE_URL = 'http://127.0.0.1:8855';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

interface SessionResponse {
  readonly status: number;
  readonly data: Readonly<Record<string, string | boolean>>;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Browser extends CoreGateway {
  call(method: string, path: string, headers?: Record<string, string>, body?: unknown): Promise<SessionResponse>;
  /** Signs in and returns the cookie and the token for writes. */
  signIn(body?: object): Promise<{ cookie: string; csrf: string }>;
}

function createBrowser(options: Partial<GatewayOptions> = {}, request: Partial<GatewayRequest> = {}): Browser {
  const core = createCoreGateway(createScriptedTransport(), options);
  const call: Browser['call'] = async (method, path, headers = {}, body = {}) => {
    const response = await core.gateway.handle({
      method,
      path,
      query: '',
      headers: { host: '127.0.0.1:8855', ...headers },
      baseUrl: BASE_URL,
      signal: new AbortController().signal,
      ...bodyOf(JSON.stringify(body)),
      ...request,
    });
    const { data = {}, error } = jsonOf(response) as { data?: SessionResponse['data']; error?: { message: string } };
    return { status: response.status, data, message: error?.message ?? '', headers: response.headers };
  };
  return {
    ...core,
    call,
    async signIn(body = { token: core.gateway.createSignInToken() }) {
      const { status, data, headers, message } = await call('POST', '/admin/v1/session', {}, body);
      if (status !== 201) throw new Error(message);
      return { cookie: headers['set-cookie']?.split(';')[0] ?? '', csrf: String(data['csrf_token']) };
    },
  };
}

test('exchanges the token of a link for a cookie that scripts cannot read', async () => {
  const { gateway, call } = createBrowser();
  const { status, data, headers } = await call('POST', '/admin/v1/session', {}, { token: gateway.createSignInToken() });
  expect([status, data]).toEqual([
    201,
    { signed_in: true, name: 'UI', csrf_token: expect.any(String), expires_at: '2026-01-02T15:04:05.000Z' },
  ]);
  expect(headers['set-cookie']).toMatch(
    /^gateway_session_8855=[0-9a-f]{64}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  );
});

test('gives a secure cookie for the path where it is mounted', async () => {
  const { gateway, call } = createBrowser({}, { baseUrl: 'https://app.example/ai' });
  const { headers } = await call('POST', '/admin/v1/session', {}, { token: gateway.createSignInToken() });
  expect(headers['set-cookie']).toMatch(/^gateway_session_default=.*; Path=\/ai; .*; Secure$/);
});

test('lets a session call as an API key that it names, by its rights and limits, and as no other', async () => {
  const { call, signIn, store, gateway } = createBrowser();
  const { cookie, csrf } = await signIn();
  const make = async (change: object): Promise<string> => {
    const { record } = await createKeyRecord({
      platform: createWebPlatform(),
      name: 'Playground',
      kind: 'api',
      limitUsd: 1,
    });
    await store.keys.insert({ ...record, ...change });
    return record.hash;
  };
  const [hash, disabled, management] = [
    await make({}),
    await make({ disabled: true }),
    await make({ kind: 'management' }),
  ];
  const ask = (headers: Record<string, string>) =>
    call('POST', '/api/v1/chat/completions', { cookie, ...headers }, { model: 'none/such', messages: [] });
  expect(await call('GET', '/api/v1/key', { cookie, 'x-act-as-key': hash })).toMatchObject({
    status: 200,
    data: { limit: 1 },
  });
  // Past the gate: what is wrong is the request.
  expect(await ask({ 'x-csrf-token': csrf, 'x-act-as-key': hash })).toMatchObject({ status: 400 });
  expect(await ask({ 'x-csrf-token': csrf })).toMatchObject({
    status: 403,
    message: expect.stringMatching(/Management keys/),
  });
  expect(await ask({ 'x-act-as-key': hash })).toMatchObject({
    status: 403,
    message: expect.stringMatching(/x-csrf-token/),
  });
  expect((await ask({ 'x-csrf-token': csrf, 'x-act-as-key': disabled })).status).toBe(401);
  expect((await ask({ 'x-csrf-token': csrf, 'x-act-as-key': 'f'.repeat(64) })).status).toBe(401);
  expect((await ask({ 'x-csrf-token': csrf, 'x-act-as-key': management })).status).toBe(403);
  expect((await call('GET', '/api/v1/key', { 'x-act-as-key': hash })).status).toBe(401);
  const forged = { authorization: `Bearer ${API_KEY}`, 'x-act-as-key': hash };
  expect((await call('GET', '/api/v1/key', forged)).data).toMatchObject({ limit: null });
  await gateway.close();
});

test('ends what a session may do as another key with the key that it was signed in with', async () => {
  const { call, signIn, store } = createBrowser();
  const make = async (kind: 'api' | 'management') => {
    const made = await createKeyRecord({ platform: createWebPlatform(), name: kind, kind, limitUsd: null });
    await store.keys.insert(made.record);
    return made;
  };
  const [api, management] = [await make('api'), await make('management')];
  const { cookie } = await signIn({ key: management.key });
  const look = () => call('GET', '/api/v1/key', { cookie, 'x-act-as-key': api.record.hash });
  expect((await look()).status).toBe(200);
  await store.keys.update(management.record.hash, (record) => ({ ...record, disabled: true }));
  expect((await look()).status).toBe(401);
});

test('takes a token once, and only within ten minutes', async () => {
  const { gateway, call, platform } = createBrowser();
  const token = gateway.createSignInToken();
  expect((await call('POST', '/admin/v1/session', {}, { token })).status).toBe(201);
  expect((await call('POST', '/admin/v1/session', {}, { token })).status).toBe(401);
  const [inTime, tooLate] = [gateway.createSignInToken(), gateway.createSignInToken()];
  await platform.advance(10 * MINUTE_MS - 1);
  expect((await call('POST', '/admin/v1/session', {}, { token: inTime })).status).toBe(201);
  await platform.advance(1);
  expect((await call('POST', '/admin/v1/session', {}, { token: tooLate })).status).toBe(401);
});

test('lets a cookie read and write what a management key may, on both surfaces', async () => {
  const { call, signIn } = createBrowser();
  const { cookie, csrf } = await signIn();
  const headers = { cookie: `a=b; ${cookie}; c=d` };
  expect((await call('GET', '/admin/v1/settings', headers)).status).toBe(200);
  expect((await call('GET', '/api/v1/keys', headers)).status).toBe(200);
  expect((await call('POST', '/api/v1/keys', { ...headers, 'x-csrf-token': csrf }, { name: 'k' })).status).toBe(201);
  expect((await call('POST', '/api/v1/chat/completions', { ...headers, 'x-csrf-token': csrf })).status).toBe(403);
});

test('refuses every write by cookie without the token of its own session', async () => {
  const { call, signIn } = createBrowser();
  const { cookie } = await signIn();
  const { csrf: ofAnother } = await signIn();
  for (const method of ['POST', 'PATCH', 'DELETE']) {
    const path = method === 'PATCH' ? '/admin/v1/settings' : method === 'POST' ? '/api/v1/keys' : '/admin/v1/session';
    for (const headers of [{}, { 'x-csrf-token': '' }, { 'x-csrf-token': ofAnother }]) {
      const response = await call(method, path, { cookie, ...headers });
      expect([method, response.status, response.message]).toEqual([
        method,
        403,
        expect.stringContaining('x-csrf-token'),
      ]);
    }
  }
  expect((await call('GET', '/admin/v1/session', { cookie })).data['signed_in']).toBe(true);
});

test.each([
  ['another host', { host: 'evil.example:8855' }],
  ['another port', { host: '127.0.0.1:9999' }],
  ['a page of another origin', { origin: 'https://evil.example' }],
  ['a page of another port', { origin: 'http://127.0.0.1:9999', 'sec-fetch-site': 'same-site' }],
  ['a page without origin', { origin: 'null' }],
  ['a cross-site navigation', { 'sec-fetch-site': 'cross-site' }],
])('does not know a cookie that comes by %s', async (_, headers) => {
  const { call, signIn } = createBrowser();
  const { cookie, csrf } = await signIn();
  expect((await call('GET', '/admin/v1/settings', { cookie, ...headers })).status).toBe(401);
  expect((await call('PATCH', '/admin/v1/settings', { cookie, 'x-csrf-token': csrf, ...headers })).status).toBe(401);
  expect((await call('GET', '/admin/v1/session', { cookie, ...headers })).data).toEqual({ signed_in: false });
});

test('knows a cookie that comes from its own pages', async () => {
  const { call, signIn } = createBrowser();
  const { cookie } = await signIn();
  for (const headers of [{ origin: BASE_URL, 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }]) {
    expect((await call('GET', '/admin/v1/settings', { cookie, ...headers })).status).toBe(200);
  }
});

test('does not let a page of another origin sign in', async () => {
  const { gateway, call } = createBrowser();
  const token = gateway.createSignInToken();
  const headers = { origin: 'https://evil.example' };
  expect((await call('POST', '/admin/v1/session', headers, { token })).status).toBe(403);
  expect((await call('POST', '/admin/v1/session', {}, { token })).status).toBe(201);
});

test('takes a management key, and nothing else, in the place of a token', async () => {
  const { call, signIn } = createBrowser();
  const { cookie } = await signIn({ key: MANAGEMENT_KEY });
  expect((await call('GET', '/admin/v1/session', { cookie })).data).toMatchObject({ signed_in: true, name: 'admin' });
  const post = async (body: unknown): Promise<number> => (await call('POST', '/admin/v1/session', {}, body)).status;
  expect(await post({ key: API_KEY })).toBe(403);
  expect(await post({ key: 'sk-gw-v1-unknown' })).toBe(401);
  expect(await post({ key: 'two words' })).toBe(401);
  expect(await post({})).toBe(400);
  expect(await post({ key: MANAGEMENT_KEY, token: 'x' })).toBe(400);
});

test('ends a session with the key it was made with', async () => {
  const { call, signIn, platform, store } = createBrowser();
  const { key, record } = await createKeyRecord({ platform, name: 'm', kind: 'management', limitUsd: null });
  await store.keys.insert(record);
  const { cookie } = await signIn({ key });
  expect((await call('GET', '/admin/v1/settings', { cookie })).status).toBe(200);
  await store.keys.update(record.hash, (found) => ({ ...found, disabled: true }));
  expect((await call('GET', '/admin/v1/settings', { cookie })).status).toBe(401);
  expect((await call('GET', '/admin/v1/session', { cookie })).data).toEqual({ signed_in: false });
});

test('signs out, and ends by itself after twelve hours', async () => {
  const { call, signIn, platform } = createBrowser();
  const first = await signIn();
  const out = await call('DELETE', '/admin/v1/session', { cookie: first.cookie, 'x-csrf-token': first.csrf });
  expect([out.status, out.data, out.headers['set-cookie']]).toEqual([
    200,
    { signed_in: false },
    'gateway_session_8855=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
  ]);
  expect((await call('GET', '/admin/v1/settings', { cookie: first.cookie })).status).toBe(401);
  expect((await call('DELETE', '/admin/v1/session', { cookie: first.cookie })).status).toBe(200);
  const { cookie } = await signIn();
  platform.oversleep(12 * 60 * MINUTE_MS - 1);
  expect((await call('GET', '/admin/v1/settings', { cookie })).status).toBe(200);
  platform.oversleep(1);
  expect((await call('GET', '/admin/v1/settings', { cookie })).status).toBe(401);
});

test('judges a request with an Authorization header by that alone', async () => {
  const { call, signIn } = createBrowser();
  const { cookie } = await signIn();
  const withKey = (key: string) => ({ cookie, authorization: `Bearer ${key}` });
  expect((await call('PATCH', '/admin/v1/settings', withKey(MANAGEMENT_KEY))).status).toBe(200);
  expect((await call('GET', '/admin/v1/settings', withKey('sk-gw-v1-unknown'))).status).toBe(401);
});

test('makes an address that fails too often wait, and no other', async () => {
  const { call, platform } = createBrowser({}, { remoteAddress: '10.0.0.1' });
  const fail = (): Promise<SessionResponse> => call('POST', '/admin/v1/session', {}, { token: 'wrong' });
  for (let count = 0; count < 20; count += 1) expect((await fail()).status).toBe(401);
  const refused = await fail();
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
  platform.oversleep(MINUTE_MS);
  expect((await fail()).status).toBe(401);
});

test('lets nobody wait for sign-ins that failed because the store was away', async () => {
  const { call, platform, store } = createBrowser({}, { remoteAddress: '10.0.0.1' });
  const { key, record } = await createKeyRecord({ platform, name: 'm', kind: 'management', limitUsd: null });
  await store.keys.insert(record);
  const { get } = store.keys;
  Object.assign(store.keys, { get: () => Promise.reject(new GatewayError('provider_overloaded', 'away')) });
  const signIn = (): Promise<SessionResponse> => call('POST', '/admin/v1/session', {}, { key });
  for (let count = 0; count < 21; count += 1) expect((await signIn()).status).toBe(503);
  Object.assign(store.keys, { get });
  expect((await signIn()).status).toBe(201);
});

test('222: a system clock that is set lengthens no wait, and neither lengthens nor ends a session or a link', async () => {
  const { gateway, call, signIn, platform } = createBrowser({}, { remoteAddress: '10.0.0.1' });
  const { cookie } = await signIn();
  const token = gateway.createSignInToken();
  const fail = (): Promise<SessionResponse> => call('POST', '/admin/v1/session', {}, { token: 'wrong' });
  for (let count = 0; count < 20; count += 1) await fail();
  platform.setWallClock(-DAY_MS);
  expect((await fail()).headers['retry-after']).toBe('60');
  platform.oversleep(MINUTE_MS);
  expect((await fail()).status).toBe(401);
  platform.setWallClock(3 * DAY_MS);
  expect((await call('GET', '/admin/v1/session', { cookie })).data['signed_in']).toBe(true);
  platform.setWallClock(-2 * DAY_MS);
  platform.oversleep(12 * 60 * MINUTE_MS);
  expect((await call('GET', '/admin/v1/session', { cookie })).data['signed_in']).toBe(false);
  expect((await call('POST', '/admin/v1/session', {}, { token })).status).toBe(401);
});

test('holds a thousand sessions and drops the oldest beyond', async () => {
  const sessions = createSessions(createWebPlatform());
  const request: GatewayRequest = {
    method: 'GET',
    path: '/',
    query: '',
    headers: { host: 'h' },
    baseUrl: BASE_URL,
    signal: new AbortController().signal,
    ...bodyOf(),
  };
  const opened = await Promise.all(
    Array.from({ length: 1001 }, () => sessions.open({ keyHash: null, name: 'UI' }, request)),
  );
  const find = (index: number) => {
    const cookie = `gateway_session_8855=${opened[index]?.secret}`;
    return sessions.find({ ...request, headers: { host: 'h', cookie } });
  };
  expect(await Promise.all([find(0), find(1), find(1000)])).toEqual([undefined, opened[1], opened[1000]]);
});

test('offers no sign-in where the host has its own', async () => {
  const { gateway, call } = createBrowser({ authenticate: () => null });
  expect(() => gateway.createSignInToken()).toThrow(TypeError);
  expect((await call('POST', '/admin/v1/session', {}, { token: 'x' })).status).toBe(400);
  expect((await call('GET', '/admin/v1/session')).data).toEqual({ signed_in: false });
});

test.each([
  ['management', { signed_in: true, name: 'Ada', csrf_token: '', expires_at: null }],
  ['api', { signed_in: false }],
] as const)('returns the sign-in of the host, for a %s principal', async (kind, data) => {
  const principal = { kind, id: 'ada', name: 'Ada' };
  const asked = createBrowser({ authenticate: () => principal });
  expect((await asked.call('GET', '/admin/v1/session')).data).toEqual(data);
  for (const host of [{ principal }, { authenticate: () => principal }]) {
    const handed = createBrowser({}, host);
    expect((await handed.call('GET', '/admin/v1/session')).data).toEqual(data);
    expect((await handed.call('POST', '/admin/v1/session', {}, { key: MANAGEMENT_KEY })).status).toBe(400);
  }
});

test('says to who is not signed in that a management key is public, where one is', async () => {
  const key = { key: 'sk-gw-v1-anybody', kind: 'management', name: 'anybody' } as const;
  const demo = createBrowser({ bootstrapKeys: [{ ...key, isPublic: true }] });
  expect((await demo.call('GET', '/admin/v1/session')).data).toEqual({ signed_in: false, demo: true });
  const { cookie } = await demo.signIn();
  expect((await demo.call('GET', '/admin/v1/session', { cookie })).data['demo']).toBeUndefined();
  const own = createBrowser({ bootstrapKeys: [key] });
  expect((await own.call('GET', '/admin/v1/session')).data).toEqual({ signed_in: false });
});
