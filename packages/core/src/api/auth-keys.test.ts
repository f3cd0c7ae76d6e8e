import { createHash } from 'node:crypto';

import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { API_KEY, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createSharedMemoryStore } from '../../../../test/support/stores/shared-memory-store.ts';
import { createAuthCodes } from '../auth/auth-codes.ts';
import type { GatewayResponse } from '../http/response.ts';

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const CALLBACK = 'https://app.example/callback?state=1';
const S256 = { callback_url: CALLBACK, code_challenge: CHALLENGE, code_challenge_method: 'S256' };

function setUp(options: Parameters<typeof createAdminGateway>[0] = {}) {
  const admin = createAdminGateway(options);
  const agree = async (body: object = S256): Promise<string> =>
    String((await admin.dataOf('POST', '/auth/keys/code', body)).id);
  /** Without any key, as an app does. */
  const exchange = (body: object) => admin.call('POST', '/auth/keys', body, 'none');
  return { ...admin, agree, exchange };
}

test('the challenge of the specification is that of its verifier', () => {
  expect(CHALLENGE).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
});

test('a code is exchanged once, for a key with what was agreed', async () => {
  const { agree, exchange, call, store, dataOf } = setUp();
  const workspace = await dataOf('POST', '/workspaces', { name: 'Apps', slug: 'apps' });
  const code = await agree({
    ...S256,
    key_label: 'Notes app',
    limit: 5,
    usage_limit_type: 'monthly',
    expires_at: '2027-01-01T00:00:00Z',
    workspace_id: workspace.id,
  });
  const { status, body } = await exchange({ code, code_verifier: VERIFIER, code_challenge_method: 'S256' });
  expect([status, Object.keys(body), body['user_id']]).toEqual([200, ['key', 'user_id'], null]);
  const key = String(body['key']);
  expect((await call('GET', '/key', undefined, key)).body['data']).toMatchObject({ limit: 5, limit_reset: 'monthly' });
  expect(await store.keys.list()).toMatchObject([
    { kind: 'api', name: 'Notes app', workspaceId: workspace.id, expiresAt: '2027-01-01T00:00:00Z' },
  ]);
  expect(await exchange({ code, code_verifier: VERIFIER })).toMatchObject({ status: 403 });
  expect((await store.keys.list()).length).toBe(1);
});

test('a key without a name is called after the host of its app, and a host has one app id', async () => {
  const { dataOf, exchange, store } = setUp();
  const one = await dataOf('POST', '/auth/keys/code', S256);
  const other = await dataOf('POST', '/auth/keys/code', { callback_url: 'https://app.example/other' });
  const local = await dataOf('POST', '/auth/keys/code', { callback_url: 'http://localhost:1234/' });
  expect(one['app_id']).toBe(other['app_id']);
  expect(one['app_id']).not.toBe(local['app_id']);
  await exchange({ code: local.id });
  expect(await store.keys.list()).toMatchObject([{ name: 'localhost:1234' }]);
});

test('a key is of the member whose management key agreed', async () => {
  const { call, dataOf, exchange } = setUp();
  const { body } = await call('POST', '/keys', { name: 'own', management: true, creator_user_id: 'mo' });
  const code = (await call('POST', '/auth/keys/code', S256, String(body['key']))).body['data'] as { id: string };
  const { body: given } = await exchange({ code: code.id, code_verifier: VERIFIER });
  expect(given['user_id']).toBe('mo');
  const keys = (await call('GET', '/keys')).body['data'];
  expect(keys).toMatchObject([{ name: 'own' }, { name: 'app.example', creator_user_id: 'mo', management: false }]);
  const next = (await call('POST', '/auth/keys/code', S256, String(body['key']))).body['data'] as { id: string };
  await dataOf('PATCH', `/keys/${(body['data'] as { hash: string }).hash}`, { disabled: true });
  expect(await exchange({ code: next.id, code_verifier: VERIFIER })).toMatchObject({ status: 403 });
});

/** A developer who is signed in, belongs to the workspace `apps`, and has agreed to a key in it. */
async function agreeAsMember() {
  // One that every operation reads: those of a proxy are in no document, with which all requests are compared.
  const proxy = { header: 'user-agent', isTrusted: () => true };
  const admin = setUp({ signIn: { rules: { groups: {} }, proxy } });
  const { gateway, dataOf, exchange } = admin;
  await dataOf('POST', '/admin/v1/members', { user_id: 'dev', role: 'member' });
  const workspace = await dataOf('POST', '/workspaces', { name: 'Apps', slug: 'apps' });
  await dataOf('PUT', `/admin/v1/workspaces/${workspace.id}/roles/dev`, { role: 'member' });
  const send = async (path: string, headers: Record<string, string>, body?: object): Promise<GatewayResponse> =>
    gateway.handle({
      method: 'POST',
      path,
      query: '',
      headers: { host: 'gateway.example', 'user-agent': 'dev', ...headers },
      baseUrl: 'https://gateway.example',
      peerAddress: '127.0.0.1',
      signal: new AbortController().signal,
      ...bodyOf(JSON.stringify(body)),
    });
  const signedIn = await send('/admin/v1/sign-in/proxy', {});
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
  const { data: session } = jsonOf(signedIn) as { data: { csrf_token: string } };
  const agreed = await send(
    '/api/v1/auth/keys/code',
    { cookie, 'x-csrf-token': session.csrf_token },
    { ...S256, workspace_id: workspace.id },
  );
  const { data } = jsonOf(agreed) as { data: { id: string } };
  return { ...admin, workspace, exchangeIt: () => exchange({ code: data.id, code_verifier: VERIFIER }) };
}

test('a key is of the signed-in member who agreed', async () => {
  const { exchangeIt, store, workspace } = await agreeAsMember();
  expect(await exchangeIt()).toMatchObject({ status: 200, body: { user_id: 'dev' } });
  expect(await store.keys.list()).toMatchObject([{ creatorUserId: 'dev', workspaceId: workspace.id, disabled: false }]);
});

test.each([
  ['is removed', 'DELETE', '/admin/v1/members/dev', undefined],
  ['may only look at the workspace', 'PUT', '/admin/v1/workspaces/apps/roles/dev', { role: 'viewer' }],
  ['has left the workspace', 'POST', '/workspaces/apps/members/remove', { user_ids: ['dev'] }],
  ['has become a viewer', 'PATCH', '/admin/v1/members/dev', { organization_role: 'viewer' }],
])('a code gives no key once the member who agreed %s', async (_, method, path, body) => {
  const { exchangeIt, dataOf, call, store } = await agreeAsMember();
  if (method === 'DELETE') expect((await call(method, path)).status).toBe(200);
  else await dataOf(method, path, body);
  expect(await exchangeIt()).toMatchObject({ status: 403, body: { error: { code: 403 } } });
  expect(await store.keys.list()).toEqual([]);
});

test('a code gives no key once the member who agreed is deactivated', async () => {
  const { exchangeIt, store } = await agreeAsMember();
  await store.members.update('dev', (member) => ({ ...member, active: false }));
  expect(await exchangeIt()).toMatchObject({ status: 403 });
  expect(await store.keys.list()).toEqual([]);
});

test.each(['a directory that knows them', 'no directory of members'])(
  'a code gives a key to whom the host has signed in, with %s',
  async (directory) => {
    const { gateway, exchange, store } = setUp();
    if (!directory.startsWith('no'))
      await store.members.insert({ id: 'u1', email: '', first_name: null, last_name: null, role: 'org:member' });
    const member = { role: 'developer', workspaces: new Map() } as const;
    const agreed = await gateway.handle({
      method: 'POST',
      path: '/api/v1/auth/keys/code',
      query: '',
      headers: {},
      baseUrl: '',
      signal: new AbortController().signal,
      principal: { kind: 'management', id: 'u1', name: 'U', userId: 'u1', member },
      ...bodyOf(JSON.stringify(S256)),
    });
    const { data } = jsonOf(agreed) as { data: { id: string } };
    const given = await exchange({ code: data.id, code_verifier: VERIFIER });
    expect(given).toMatchObject({ status: 200, body: { user_id: 'u1' } });
  },
);

test('a plain challenge is compared as it is, and is the default', async () => {
  const { agree, exchange } = setUp();
  const plain = { callback_url: CALLBACK, code_challenge: VERIFIER };
  const code = await agree(plain);
  expect(await exchange({ code, code_verifier: VERIFIER, code_challenge_method: 'plain' })).toMatchObject({
    status: 200,
  });
  const other = await agree({ ...plain, code_challenge_method: 'plain' });
  expect(await exchange({ code: other, code_verifier: CHALLENGE })).toMatchObject({ status: 403 });
});

test('a wrong verifier spends the code', async () => {
  const { agree, exchange } = setUp();
  const code = await agree();
  for (const verifier of [`${VERIFIER.slice(0, -1)}j`, VERIFIER]) {
    expect(await exchange({ code, code_verifier: verifier })).toMatchObject({ status: 403 });
  }
});

test.each([
  [{ code_verifier: VERIFIER, code_challenge_method: 'plain' }, 'code_challenge_method'],
  [{ code_verifier: VERIFIER, code_challenge_method: 'S512' }, 'code_challenge_method'],
  [{}, 'code_verifier'],
  [{ code_verifier: VERIFIER, redirect_uri: 'https://evil.example' }, 'redirect_uri'],
])('refuses %j with 400 and leaves the code as it is', async (body, path) => {
  const { agree, exchange } = setUp();
  const code = await agree();
  expect(await exchange({ code, ...body })).toMatchObject({
    status: 400,
    body: { error: { metadata: { issues: [{ path }] } } },
  });
  expect(await exchange({ code, code_verifier: VERIFIER })).toMatchObject({ status: 200 });
});

test('a verifier for a code without a challenge is refused, as somebody may have taken the challenge away', async () => {
  const { agree, exchange } = setUp();
  const code = await agree({ callback_url: CALLBACK });
  for (const body of [{ code_verifier: VERIFIER }, { code_challenge_method: 'S256' }]) {
    expect(await exchange({ code, ...body })).toMatchObject({ status: 400 });
  }
  expect(await exchange({ code })).toMatchObject({ status: 200 });
});

test('a code that is no code is refused with 403, and many of them from one address with 429', async () => {
  const { call } = setUp();
  const exchange = (code: string, address: string | undefined = '198.51.100.7') =>
    call('POST', '/auth/keys', { code }, 'none', address);
  for (const code of ['x', '0'.repeat(64), '__proto__']) expect(await exchange(code)).toMatchObject({ status: 403 });
  for (let i = 0; i < 17; i += 1) await exchange('x');
  expect(await exchange('x')).toMatchObject({ status: 429 });
  expect(await exchange('x', '198.51.100.8')).toMatchObject({ status: 403 });
});

test('a code lasts ten minutes', async () => {
  const { agree, exchange, platform } = setUp();
  const [one, other] = [await agree(), await agree()];
  platform.oversleep(10 * 60_000 - 1);
  expect(await exchange({ code: one, code_verifier: VERIFIER })).toMatchObject({ status: 200 });
  platform.oversleep(1);
  expect(await exchange({ code: other, code_verifier: VERIFIER })).toMatchObject({ status: 403 });
});

test.each([
  ['http://app.example/', 'callback_url'],
  ['javascript:alert(1)', 'callback_url'],
  ['data:text/html,x', 'callback_url'],
  ['http://localhost.evil.example/', 'callback_url'],
  ['http://127.0.0.1.evil.example/', 'callback_url'],
  ['https://user:pass@app.example/', 'callback_url'],
  ['https://app.example/#x', 'callback_url'],
  ['//app.example/', 'callback_url'],
  ['app.example', 'callback_url'],
])('calls no app back at %s', async (address, path) => {
  const { call } = setUp();
  expect(await call('POST', '/auth/keys/code', { ...S256, callback_url: address })).toMatchObject({
    status: 400,
    body: { error: { metadata: { issues: [{ path }] } } },
  });
});

test.each(['http://localhost:3000/cb', 'http://127.0.0.1:51234/', 'http://[::1]:8080/', 'https://app.example:8443/cb'])(
  'calls an app back at %s',
  async (address) => {
    const { call } = setUp();
    expect(await call('POST', '/auth/keys/code', { ...S256, callback_url: address })).toMatchObject({ status: 200 });
  },
);

test.each([
  [{}, 'code_challenge'],
  [{ code_challenge: 'short' }, 'code_challenge'],
  [{ code_challenge: `${CHALLENGE}x`, code_challenge_method: 'S256' }, 'code_challenge'],
  [{ callback_url: CALLBACK, code_challenge_method: 'S256' }, 'code_challenge'],
  [{ ...S256, key_label: 'x'.repeat(101) }, 'key_label'],
  [{ ...S256, limit: -1 }, 'limit'],
  [{ ...S256, usage_limit_type: 'daily' }, 'usage_limit_type'],
  [{ ...S256, workspace_id: 'none' }, 'workspace_id'],
])('agrees to nothing for %j', async (body, path) => {
  const { call } = setUp();
  expect(await call('POST', '/auth/keys/code', body)).toMatchObject({
    status: 400,
    body: { error: { metadata: { issues: [{ path }] } } },
  });
});

test('a code needs no callback where there is a challenge', async () => {
  const { agree, exchange } = setUp();
  const code = await agree({ code_challenge: CHALLENGE, code_challenge_method: 'S256' });
  expect(await exchange({ code, code_verifier: VERIFIER })).toMatchObject({ status: 200 });
});

test('API keys agree to nothing, and other methods are refused with 405', async () => {
  const { call } = setUp();
  expect(await call('POST', '/auth/keys/code', S256, API_KEY)).toMatchObject({ status: 403 });
  for (const path of ['/auth/keys', '/auth/keys/code']) expect(await call('GET', path)).toMatchObject({ status: 405 });
});

test('a page of another site can agree to nothing with the cookie of a user who is signed in', async () => {
  const { gateway } = setUp();
  const send = async (path: string, body: object, headers: Record<string, string>) =>
    gateway.handle({
      method: 'POST',
      path,
      query: '',
      headers: { host: 'gateway.example', ...headers },
      baseUrl: 'https://gateway.example',
      signal: new AbortController().signal,
      ...bodyOf(JSON.stringify(body)),
    });
  const signedIn = await send('/admin/v1/session', { key: MANAGEMENT_KEY }, {});
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
  const { data } = jsonOf(signedIn) as { data: { csrf_token: string } };
  const own = { cookie, 'x-csrf-token': data.csrf_token };
  const agree = async (headers: Record<string, string>) => (await send('/api/v1/auth/keys/code', S256, headers)).status;
  expect(await agree({ cookie })).toBe(403);
  expect(await agree({ cookie, 'x-csrf-token': 'wrong' })).toBe(403);
  expect(await agree({ ...own, origin: 'https://evil.example' })).toBe(401);
  expect(await agree({ ...own, 'sec-fetch-site': 'cross-site' })).toBe(401);
  expect(await agree({ ...own, origin: 'https://gateway.example', 'sec-fetch-site': 'same-origin' })).toBe(200);
});

const GRANT = {
  name: 'x',
  limitUsd: null,
  limitReset: null,
  expiresAt: null,
  workspaceId: 'w',
  userId: null,
  challenge: { method: 'S256', text: CHALLENGE },
  agreedBy: null,
  memberId: null,
} as const;

test('a code that one process issued is spent once at all of them, and no store holds it', async () => {
  const platform = createVirtualPlatform();
  const { entries } = createSharedMemoryStore(() => platform.monotonicNow());
  const ids: string[] = [];
  const seen = {
    ...entries,
    put: (id: string, value: string, ms: number) => (ids.push(id, value), entries.put(id, value, ms)),
  };
  const [one, other] = [createAuthCodes(platform, seen), createAuthCodes(platform, entries)];
  const code = await one.issue(GRANT);
  expect(await other.find(code)).toEqual(GRANT);
  const spent = await Promise.all([one.spend(code), other.spend(code), one.spend(code), other.spend(code)]);
  expect(spent.filter(Boolean)).toEqual([true]);
  expect(await one.find(code)).toBeUndefined();
  expect(ids.length).toBe(2);
  expect(ids.join()).not.toContain(code);
});
