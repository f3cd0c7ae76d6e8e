import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';

import type { AuditRecord } from '@model-gateway/core/wire';
import { createOidcProvider } from '@model-gateway/node/sign-in';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { bodyOf } from '../support/gateways/body-of.ts';
import { type CookieBrowser, createCookieBrowser } from '../support/sign-in/cookie-browser.ts';
import { CLIENT, type RunningProvider, startOidcProvider } from '../support/sign-in/start-oidc-provider.ts';
import { MANAGEMENT_KEY, type SigningGateway, startSigningGateway } from '../support/sign-in/start-signed-in.ts';
import { createSharedMemoryStore } from '../support/stores/shared-memory-store.ts';

const MINUTE_MS = 60_000;
const GROUPS = { engineers: { role: 'developer' }, leads: { role: 'administrator' } } as const;
const LOGOUT = { 'http://schemas.openid.net/event/backchannel-logout': {} };

let provider: RunningProvider;
beforeAll(async () => {
  provider = await startOidcProvider();
});
afterAll(() => provider.close());
beforeEach(() => {
  Object.assign(provider, { tamper: undefined, userInfoStatus: undefined, isAway: false });
  provider.people.clear();
  provider.people.set('u-ada', { email: 'ada@acme.example', name: 'Ada Byron', groups: ['engineers'] });
});

async function start(options: Parameters<typeof startSigningGateway>[1] = {}): Promise<SigningGateway> {
  const gateway = await startSigningGateway(provider, { rules: { groups: GROUPS }, ...options });
  provider.serve([gateway.url]);
  return gateway;
}

const idOf = (subject: string): string =>
  `oidc-${createHash('sha256').update(`${provider.issuer}\n${subject}`).digest('hex').slice(0, 32)}`;

const problemOf = ({ at }: { at: { url: string } }): string => new URL(at.url).hash.replace('#sign-in-error=', '');

async function readAudit({ url }: SigningGateway): Promise<AuditRecord[]> {
  const response = await fetch(`${url}/admin/v1/audit`, { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } });
  return ((await response.json()) as { data: AuditRecord[] }).data;
}

const endSessions = (url: string, token: string): Promise<Response> =>
  fetch(`${url}/admin/v1/sign-in/oidc/back-channel-logout`, {
    method: 'POST',
    body: new URLSearchParams({ logout_token: token }),
  });

test('a user signs in at the provider, comes back to the page they left, and is a member with the role of their group', async () => {
  const gateway = await start();
  const { at, browser, session } = await gateway.signIn('u-ada');
  expect(at.url).toBe(`${gateway.url}/ui/#/keys`);
  const [begun = ''] = at.visited.slice(1);
  expect(begun).not.toContain('token');
  expect(await session()).toMatchObject({ signed_in: true, name: 'Ada Byron' });
  expect(await gateway.store.members.list()).toEqual([
    {
      id: idOf('u-ada'),
      email: 'ada@acme.example',
      first_name: 'Ada',
      last_name: 'Byron',
      role: 'org:member',
      organization_role: 'developer',
    },
  ]);
  expect((await browser.ask(`${gateway.url}/api/v1/keys`)).status).toBe(200);
  const records = await readAudit(gateway);
  expect(records.map(({ action, actor }) => [action, actor.kind, actor.member])).toEqual([
    ['member.create', 'session', idOf('u-ada')],
    ['session.create', 'session', idOf('u-ada')],
  ]);
});

test('the way to the provider has PKCE, a state and a nonce, and its cookie is for the way back alone', async () => {
  const gateway = await start();
  const browser = createCookieBrowser();
  const response = await browser.ask(`${gateway.url}/admin/v1/sign-in/oidc`);
  const { searchParams } = new URL(response.headers.get('location') ?? '');
  expect(Object.fromEntries(searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    redirect_uri: `${gateway.url}/admin/v1/sign-in/oidc/callback`,
  });
  expect(response.headers.get('set-cookie')).toMatch(
    /^gateway_sign_in_[\w-]{16}=.*; Path=\/admin\/v1\/sign-in\/oidc\/callback; Max-Age=600; HttpOnly; SameSite=Lax$/,
  );
});

test.each(['https://evil.example/', '//evil.example/', String.raw`/\evil.example`, '/\t/evil.example'])(
  'a link that would lead to %j after the sign-in leads to the UI',
  async (returnTo) => {
    const gateway = await start();
    const browser = createCookieBrowser();
    const page = await browser.visit(`${gateway.url}/admin/v1/sign-in/oidc?return_to=${encodeURIComponent(returnTo)}`);
    const [cookie = ''] = [...browser.cookies].flatMap(([name, value]) =>
      name.startsWith('gateway_sign_in') ? [decodeURIComponent(value)] : [],
    );
    expect(page.url).toContain('/interaction/');
    expect((JSON.parse(cookie) as { returnTo: string }).returnTo).toBe('/ui/');
  },
);

test('a state of another browser, an altered one, and a code that was used already sign nobody in', async () => {
  const gateway = await start();
  const { at, browser } = await gateway.signIn('u-ada');
  const callback = at.visited.find((url) => url.includes('/callback')) ?? '';
  // The code was used.
  expect(problemOf({ at: await browser.visit(callback) })).toBe('invalid');
  // Another browser has no cookie of it.
  expect(problemOf({ at: await createCookieBrowser().visit(callback) })).toBe('expired');
  const altered = new URL(callback);
  altered.searchParams.set('state', `${altered.searchParams.get('state')?.slice(0, -1)}_`);
  expect(problemOf({ at: await browser.visit(altered.href) })).toBe('expired');
  const records = await readAudit(gateway);
  expect(records).toContainEqual(expect.objectContaining({ action: 'session.create', outcome: 'refused' }));
});

test('ways back that were never begun, and a provider that is away, make nobody wait who signs in', async () => {
  const gateway = await start();
  const callback = `${gateway.url}/admin/v1/sign-in/oidc/callback`;
  /** More often than an address may fail. */
  const comeBack = async (browser: CookieBrowser, query: string): Promise<unknown> => {
    const visits = Array.from({ length: 21 }, async () =>
      problemOf({ at: await browser.visit(`${callback}?${query}`) }),
    );
    return [...new Set(await Promise.all(visits))];
  };
  expect(await comeBack(createCookieBrowser(), 'code=x&state=y')).toEqual(['expired']);
  const browser = createCookieBrowser();
  const begun = await browser.ask(`${gateway.url}/admin/v1/sign-in/oidc`);
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
  const back = new URLSearchParams({ code: 'x', state, iss: provider.issuer }).toString();
  provider.isAway = true;
  expect(await comeBack(browser, back)).toEqual(['away']);
  provider.isAway = false;
  expect((await gateway.signIn('u-ada')).at.url).toBe(`${gateway.url}/ui/#/keys`);
  // What a provider refuses counts, as a wrong key does.
  await comeBack(browser, back);
  expect(problemOf({ at: await browser.visit(`${callback}?${back}`) })).toBe('too_many');
});

test('a sign-in that was begun more than ten minutes ago is begun anew', async () => {
  const gateway = await start();
  const browser = createCookieBrowser();
  const page = await browser.visit(`${gateway.url}/admin/v1/sign-in/oidc`);
  gateway.clocks.passedMs += 10 * MINUTE_MS + 1000;
  expect(problemOf({ at: await browser.visit(page.url, { user: 'u-ada' }) })).toBe('expired');
});

test.each([
  ['another nonce', { nonce: 'another' }],
  ['another issuer', { iss: 'https://other.example' }],
  ['another audience', { aud: 'another' }],
  ['no subject', { sub: undefined }],
])('an ID token with %s signs nobody in', async (_, change) => {
  const gateway = await start();
  provider.tamper = (claims) => ({ ...claims, ...change });
  expect(problemOf(await gateway.signIn('u-ada'))).toBe('invalid');
  expect(await gateway.store.members.list()).toEqual([]);
});

test('an ID token whose signature is of another key signs nobody in', async () => {
  const gateway = await start();
  const other = await startOidcProvider();
  const { sign } = provider;
  Object.assign(provider, { sign: other.sign });
  provider.tamper = (claims) => claims;
  try {
    expect(problemOf(await gateway.signIn('u-ada'))).toBe('invalid');
  } finally {
    Object.assign(provider, { sign });
    await other.close();
  }
});

test.each([
  [5, ''],
  [-5, ''],
  [6, 'invalid'],
  [-6, 'invalid'],
])('clocks that are %i minutes apart: %j', async (minutes, problem) => {
  const gateway = await start({ clocks: { passedMs: 0, skewMs: minutes * MINUTE_MS } });
  // As short as a token can be: it has just expired where the clock of the gateway is ahead.
  provider.tamper = (claims) => ({ ...claims, exp: Number(claims.iat) + 5 });
  const signedIn = await gateway.signIn('u-ada');
  expect(problem === '' ? signedIn.at.url : problemOf(signedIn)).toBe(problem || `${gateway.url}/ui/#/keys`);
});

test.each([
  [290, ''],
  [310, 'invalid'],
])('a token that has expired %i seconds ago by the clock of the machine: %j', async (seconds, problem) => {
  const gateway = await start();
  provider.tamper = (claims) => ({ ...claims, exp: Number(claims.iat) - seconds });
  const signedIn = await gateway.signIn('u-ada');
  expect(problem === '' ? signedIn.at.url : problemOf(signedIn)).toBe(problem || `${gateway.url}/ui/#/keys`);
});

test('a provider that signs with another key from one sign-in to the next signs in all the same', async () => {
  const gateway = await start();
  expect(await (await gateway.signIn('u-ada')).session()).toMatchObject({ signed_in: true });
  provider.rotateKey();
  expect(await (await gateway.signIn('u-ada')).session()).toMatchObject({ signed_in: true });
});

test('a change of groups holds at the next question to the provider, at the latest after 15 minutes', async () => {
  const gateway = await start();
  const { session } = await gateway.signIn('u-ada');
  provider.people.set('u-ada', { email: 'ada@acme.example', name: 'Ada Byron', groups: ['engineers', 'leads'] });
  const roleNow = async (): Promise<string | undefined> => {
    await session();
    return (await gateway.store.members.get(idOf('u-ada')))?.organization_role;
  };
  gateway.clocks.passedMs += 14 * MINUTE_MS;
  expect(await roleNow()).toBe('developer');
  gateway.clocks.passedMs += 1 * MINUTE_MS;
  expect(await roleNow()).toBe('administrator');
  expect((await readAudit(gateway))[0]).toMatchObject({
    action: 'member.update',
    actor: { kind: 'session', member: idOf('u-ada') },
    before: { organization_role: 'developer' },
    after: { organization_role: 'administrator' },
  });
  provider.people.set('u-ada', { email: 'ada@acme.example', name: 'Ada Byron', groups: [] });
  gateway.clocks.passedMs += 15 * MINUTE_MS;
  // None of the groups may sign in.
  expect(await session()).toMatchObject({ signed_in: false });
});

test('a user who is gone at the provider loses the session, and a provider that is away signs nobody out', async () => {
  const gateway = await start();
  const { session, browser } = await gateway.signIn('u-ada');
  provider.isAway = true;
  gateway.clocks.passedMs += 16 * MINUTE_MS;
  expect(await session()).toMatchObject({ signed_in: true });
  provider.isAway = false;
  provider.people.delete('u-ada');
  gateway.clocks.passedMs += 2 * MINUTE_MS;
  expect(await session()).toMatchObject({ signed_in: false });
  expect((await browser.ask(`${gateway.url}/api/v1/organization/members`)).status).toBe(401);
  const ended = (await readAudit(gateway)).find(({ action }) => action === 'session.delete');
  expect(ended?.actor.member).toBe(idOf('u-ada'));
});

test('a refresh token that the provider has exchanged is kept, though what is asked after it fails', async () => {
  const gateway = await start();
  const { session } = await gateway.signIn('u-ada');
  provider.userInfoStatus = 503;
  gateway.clocks.passedMs += 15 * MINUTE_MS;
  expect(await session()).toMatchObject({ signed_in: true });
  provider.userInfoStatus = undefined;
  provider.people.set('u-ada', { email: 'ada@acme.example', name: 'Ada Byron', groups: ['leads'] });
  gateway.clocks.passedMs += 2 * MINUTE_MS;
  expect(await session()).toMatchObject({ signed_in: true });
  expect(await gateway.store.members.list()).toMatchObject([{ organization_role: 'administrator' }]);
});

test.each([401, 403])(
  'claims that an ID token has are enough where the address of further ones answers by %i, later too',
  async (status) => {
    const gateway = await start();
    provider.userInfoStatus = status;
    provider.tamper = (claims) => ({ ...claims, groups: ['engineers'] });
    const { session } = await gateway.signIn('u-ada');
    expect(await session()).toMatchObject({ signed_in: true });
    provider.tamper = (claims) => ({ ...claims, groups: ['leads'] });
    gateway.clocks.passedMs += 15 * MINUTE_MS;
    expect(await session()).toMatchObject({ signed_in: true });
    expect(await gateway.store.members.list()).toMatchObject([{ organization_role: 'administrator' }]);
    // Without an ID token nothing says that the user is there.
    provider.tamper = () => undefined;
    gateway.clocks.passedMs += 15 * MINUTE_MS;
    expect(await session()).toMatchObject({ signed_in: status === 403 });
  },
);

test('claims are read at each question to the provider as at the sign-in', async () => {
  const gateway = await start({ userClaim: 'staff_number' });
  provider.tamper = (claims) => ({ ...claims, staff_number: '7', name: 'Countess Lovelace' });
  const { session } = await gateway.signIn('u-ada');
  const nameNow = async (): Promise<unknown> => {
    gateway.clocks.passedMs += 15 * MINUTE_MS;
    expect(await session()).toMatchObject({ signed_in: true });
    return (await gateway.store.members.get('7'))?.last_name;
  };
  expect(await nameNow()).toBe('Lovelace');
  // What comes without an ID token is newer than that of the sign-in, which says the rest.
  provider.tamper = () => undefined;
  expect(await nameNow()).toBe('Byron');
});

test('groups that the user info had and leaves out now are gone, and those of the ID token alone stay', async () => {
  const gateway = await start();
  const ada = { email: 'ada@acme.example', name: 'Ada Byron' };
  provider.tamper = (claims) => ({ ...claims, groups: ['engineers'] });
  const both = await gateway.signIn('u-ada');
  provider.people.set('u-ada', ada);
  const byTokenAlone = await gateway.signIn('u-ada');
  provider.tamper = () => undefined;
  for (const isLater of [false, true]) {
    gateway.clocks.passedMs += 15 * MINUTE_MS;
    expect(await byTokenAlone.session()).toMatchObject({ signed_in: true });
    if (!isLater) expect(await both.session()).toMatchObject({ signed_in: false });
  }
  // The same holds for groups that the user info got later.
  provider.people.set('u-ada', { ...ada, groups: ['leads'] });
  gateway.clocks.passedMs += 15 * MINUTE_MS;
  expect(await byTokenAlone.session()).toMatchObject({ signed_in: true });
  provider.people.set('u-ada', ada);
  gateway.clocks.passedMs += 15 * MINUTE_MS;
  expect(await byTokenAlone.session()).toMatchObject({ signed_in: false });
});

test('a member who was removed is not made again by the session that was still open', async () => {
  const gateway = await start();
  const { browser, session } = await gateway.signIn('u-ada');
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const removed = await fetch(`${gateway.url}/admin/v1/members/${idOf('u-ada')}`, { method: 'DELETE', headers });
  expect(removed.status).toBe(200);
  gateway.clocks.passedMs += 16 * MINUTE_MS;
  expect(await session()).toMatchObject({ signed_in: false });
  expect(await gateway.store.members.list()).toEqual([]);
  // Who may sign in at the provider may come back, by signing in.
  await gateway.signIn('u-ada', browser);
  expect(await gateway.store.members.list()).toHaveLength(1);
});

test('a client that the provider does not know any more signs nobody out', async () => {
  await start();
  const ask = (clientSecret: string): Promise<unknown> =>
    createOidcProvider({ issuer: provider.issuer, ...CLIENT, clientSecret, scopes: ['openid'] }).refresh(
      { subject: 'u-ada', refreshToken: 'gone' },
      () => Promise.resolve(),
    );
  expect(await ask(CLIENT.clientSecret)).toBeNull();
  await expect(ask('the secret of before')).rejects.toMatchObject({ code: 'authentication' });
});

test('many requests at two instances use a refresh token once, so that the session goes on', async () => {
  const clocks = { passedMs: 0, skewMs: 0 };
  const store = createSharedMemoryStore(() => performance.now() + clocks.passedMs);
  const [one, other] = [await start({ store, clocks }), await start({ store, clocks })];
  provider.serve([one.url, other.url]);
  const { browser } = await one.signIn('u-ada');
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  // A session holds at the host that it was made at, which all instances have behind a balancer.
  const ask = async ({ gateway }: SigningGateway): Promise<number> => {
    const { status } = await gateway.handle({
      method: 'GET',
      path: '/api/v1/keys',
      query: '',
      baseUrl: one.url,
      headers: { host: new URL(one.url).host, cookie },
      signal: new AbortController().signal,
      ...bodyOf(),
    });
    return status;
  };
  for (const _ of [1, 2, 3]) {
    clocks.passedMs += 15 * MINUTE_MS;
    const asked = [one, other, one, other, other, one].map(ask);
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 6 }, () => 200));
    clocks.passedMs += MINUTE_MS;
  }
  provider.people.delete('u-ada');
  clocks.passedMs += 15 * MINUTE_MS;
  expect(await ask(other)).toBe(401);
  clocks.passedMs += 1000;
  expect(await ask(one)).toBe(401);
});

test.each([true, false])(
  'a logout at the provider ends the sessions at two instances (by session: %s)',
  async (hasSessions) => {
    const clocks = { passedMs: 0, skewMs: 0 };
    const store = createSharedMemoryStore(() => performance.now() + clocks.passedMs);
    const [one, other] = [await start({ store, clocks }), await start({ store, clocks })];
    provider.serve([one.url, other.url], { hasSessions });
    const first = await one.signIn('u-ada');
    // The same browser is signed in there already.
    const second = await other.signIn('u-ada', first.browser);
    const elsewhere = await one.signIn('u-ada');
    expect([await first.session(), await second.session(), await elsewhere.session()]).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ signed_in: true })),
    );
    const page = await first.browser.visit(`${provider.issuer}/session/end?client_id=${CLIENT.clientId}`);
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    await first.browser.visit(`${provider.issuer}/session/end/confirm`, { xsrf, logout: 'yes' });
    clocks.passedMs += 1000;
    expect([await first.session(), await second.session()]).toEqual([{ signed_in: false }, { signed_in: false }]);
    expect(await elsewhere.session()).toMatchObject({ signed_in: hasSessions });
    const records = await readAudit(one);
    const told = records.find(({ action, actor }) => action === 'session.delete' && actor.kind === 'unknown');
    expect(told?.actor.name).toBe(provider.issuer);
    // Who signs in again is in again.
    expect(await (await one.signIn('u-ada', first.browser)).session()).toMatchObject({ signed_in: true });
  },
);

test('a logout token is refused that is none, is old, has a nonce, is for others, or was used', async () => {
  const gateway = await start();
  const { session } = await gateway.signIn('u-ada');
  const iat = Math.floor(Date.now() / 1000);
  const good = { iss: provider.issuer, aud: CLIENT.clientId, iat, jti: 'one', sub: 'u-ada', events: LOGOUT };
  const refused = [
    { ...good, events: {} },
    { ...good, nonce: 'n' },
    { ...good, aud: 'another' },
    { ...good, iss: 'https://other.example' },
    { ...good, sub: undefined },
    { ...good, jti: undefined },
    { ...good, iat: iat - 3600 },
    { ...good, exp: iat - 3600 },
  ];
  for (const claims of refused) {
    const response = await endSessions(gateway.url, await provider.sign(claims));
    expect([response.status, claims]).toEqual([400, claims]);
  }
  expect((await endSessions(gateway.url, 'none')).status).toBe(400);
  expect(await session()).toMatchObject({ signed_in: true });
  const token = await provider.sign(good, { alg: 'ES256', typ: 'logout+jwt' });
  expect((await endSessions(gateway.url, token)).status).toBe(200);
  expect((await endSessions(gateway.url, token)).status).toBe(400);
  gateway.clocks.passedMs += 1000;
  expect(await session()).toMatchObject({ signed_in: false });
});

test('a sign-out goes on to the provider, which comes back to the UI', async () => {
  const gateway = await start();
  const { browser, session } = await gateway.signIn('u-ada');
  const { csrf_token: csrf } = await session();
  const response = await browser.ask(`${gateway.url}/admin/v1/session`, {
    method: 'DELETE',
    headers: { 'x-csrf-token': String(csrf) },
  });
  const { data } = (await response.json()) as { data: { logout_url: string } };
  const page = await browser.visit(data.logout_url);
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const end = await browser.visit(`${provider.issuer}/session/end/confirm`, { xsrf, logout: 'yes' });
  expect(new URL(end.url).origin + new URL(end.url).pathname).toBe(`${gateway.url}/ui/`);
  expect(await session()).toEqual({ signed_in: false });
});

test('deactivated members, other domains and people of no group are refused with the reason', async () => {
  const gateway = await start({ rules: { groups: GROUPS, allowedDomains: ['acme.example'] } });
  provider.people.set('u-eve', { email: 'eve@other.example', name: 'Eve', groups: ['leads'] });
  provider.people.set('u-bob', { email: 'bob@acme.example', name: 'Bob', groups: ['guests'] });
  expect(problemOf(await gateway.signIn('u-eve'))).toBe('domain');
  expect(problemOf(await gateway.signIn('u-bob'))).toBe('groups');
  // The docs name the line.
  expect(gateway.warned).toContain('a sign-in by the identity provider was refused');
  const { session } = await gateway.signIn('u-ada');
  await gateway.store.members.update(idOf('u-ada'), (member) => ({ ...member, active: false }));
  expect(await session()).toMatchObject({ signed_in: false });
  expect(problemOf(await gateway.signIn('u-ada'))).toBe('inactive');
});

test('the page is told that the provider is away, and that it is not known here', async () => {
  const gateway = await start();
  provider.isAway = true;
  expect(problemOf(await gateway.signIn('u-ada'))).toBe('away');
  const unknown = await start({ clientId: 'unknown' });
  provider.isAway = false;
  expect((await unknown.signIn('u-ada')).at.status).toBe(400);
});
