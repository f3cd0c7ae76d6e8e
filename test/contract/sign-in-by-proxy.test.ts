import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

import type { AuditRecord } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { type CookieBrowser, createCookieBrowser } from '../support/sign-in/cookie-browser.ts';
import { MANAGEMENT_KEY, readSession, startSigningGateway } from '../support/sign-in/start-signed-in.ts';

const GROUPS = { leads: { role: 'administrator' }, engineers: { role: 'developer' } } as const;
const ADA = {
  'x-forwarded-user': 'ada',
  'x-forwarded-email': 'ada@acme.example',
  'x-forwarded-groups': 'engineers, leads',
};

const signIn = ({ ask }: CookieBrowser, url: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
  ask(`${url}/admin/v1/sign-in/proxy`, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } });

test('the user whom a trusted proxy names is signed in, with the role of their groups, and writes need the token', async () => {
  const { url, store } = await startSigningGateway(null, {
    trustedAddresses: ['127.0.0.0/8'],
    rules: { groups: GROUPS },
  });
  const browser = createCookieBrowser();
  const ways = await browser.ask(`${url}/admin/v1/sign-in`, { headers: ADA });
  expect(await ways.json()).toEqual({ data: { oidc: null, proxy: { user: 'ada@acme.example' } } });
  expect((await signIn(browser, url, ADA)).status).toBe(201);
  expect(await store.members.get('ada')).toMatchObject({
    email: 'ada@acme.example',
    organization_role: 'administrator',
  });
  const { csrf_token: csrf } = await readSession(url, browser, ADA);
  const write = (headers: Readonly<Record<string, string>>): Promise<Response> =>
    browser.ask(`${url}/api/v1/keys`, {
      method: 'POST',
      headers: { ...ADA, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ name: 'x' }),
    });
  expect((await write({})).status).toBe(403);
  expect((await write({ 'x-csrf-token': String(csrf) })).status).toBe(201);
  const audit = await fetch(`${url}/admin/v1/audit`, { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } });
  const { data } = (await audit.json()) as { data: AuditRecord[] };
  expect(data.find(({ action }) => action === 'session.create')?.actor).toMatchObject({
    member: 'ada',
    name: 'ada@acme.example',
  });
});

test('groups that a client has sent beside those of the proxy sign nobody in', async () => {
  const { url, store } = await startSigningGateway(null, {
    trustedAddresses: ['127.0.0.1'],
    rules: { groups: GROUPS },
  });
  const { 'x-forwarded-groups': _, ...user } = ADA;
  for (const name of ['x-forwarded-groups', 'X-Forwarded-Groups']) {
    const headers = { ...user, 'content-type': 'application/json', [name]: ['leads', 'engineers'] };
    const asked = request(`${url}/admin/v1/sign-in/proxy`, { method: 'POST', headers });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(403);
  }
  expect(await store.members.list()).toEqual([]);
});

test('from another address the headers are as if they were not there, whatever X-Forwarded-For says', async () => {
  const { url, store } = await startSigningGateway(null, { trustedAddresses: ['10.1.2.3'], rules: { groups: GROUPS } });
  const browser = createCookieBrowser();
  const headers = { ...ADA, 'x-forwarded-for': '10.1.2.3' };
  const ways = await browser.ask(`${url}/admin/v1/sign-in`, { headers });
  expect(await ways.json()).toEqual({ data: { oidc: null, proxy: null } });
  expect((await signIn(browser, url, headers)).status).toBe(401);
  expect(await store.members.list()).toEqual([]);
});

test('a session of the proxy ends with what the proxy says, and holds nowhere beside it', async () => {
  const { url } = await startSigningGateway(null, { trustedAddresses: ['127.0.0.1'], rules: { groups: GROUPS } });
  const browser = createCookieBrowser();
  await signIn(browser, url, ADA);
  const isIn = async (headers: Readonly<Record<string, string>>) =>
    (await readSession(url, browser, headers))['signed_in'];
  expect(await isIn(ADA)).toBe(true);
  expect(await isIn({})).toBe(false);
  expect(await isIn({ ...ADA, 'x-forwarded-user': 'eve' })).toBe(false);
  expect(await isIn({ ...ADA, 'x-forwarded-groups': 'engineers' })).toBe(false);
  expect(await isIn(ADA)).toBe(true);
});

test('a header that a client sent beside that of the proxy is refused, as is a page of another site', async () => {
  const { url, store } = await startSigningGateway(null, { trustedAddresses: ['127.0.0.1'] });
  const browser = createCookieBrowser();
  expect((await signIn(browser, url, { ...ADA, 'x-forwarded-user': 'eve, ada' })).status).toBe(403);
  const twice = 'eve@acme.example, ada@acme.example';
  expect((await signIn(browser, url, { ...ADA, 'x-forwarded-email': twice })).status).toBe(403);
  expect((await signIn(browser, url, { ...ADA, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await signIn(browser, url, {})).status).toBe(401);
  expect(await store.members.list()).toEqual([]);
});
