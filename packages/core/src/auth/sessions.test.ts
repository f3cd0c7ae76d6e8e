import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import type { GatewayRequest } from '../http/request.ts';
import { createSessions, toSessionCookie } from './sessions.ts';

const HOST = 'gateway.example';

const requestWith = (headers: GatewayRequest['headers'] = {}): GatewayRequest => ({
  method: 'GET',
  path: '/',
  query: '',
  baseUrl: `https://${HOST}`,
  headers: { host: HOST, ...headers },
  signal: new AbortController().signal,
  ...bodyOf(),
});

async function signIn() {
  const platform = createVirtualPlatform();
  const sessions = createSessions(platform);
  const session = await sessions.open({ keyHash: 'hash', name: 'Mo' }, requestWith());
  const [cookie = ''] = toSessionCookie(session, `https://${HOST}`).split(';');
  return { platform, sessions, session, cookie };
}

test.each([
  ['https://gateway.example', 'gateway_session_default', '/', true],
  ['https://gateway.example/ai', 'gateway_session_default', '/ai', true],
  ['http://127.0.0.1:8080', 'gateway_session_8080', '/', false],
  // What a client has sent as its Host need not be one.
  ['http://not a host', 'gateway_session_default', '/', false],
])('the cookie of a session at %s is %s for %s, and Secure only with TLS', async (baseUrl, name, path, isSecure) => {
  const { session } = await signIn();
  const secure = isSecure ? '; Secure' : '';
  const rules = `HttpOnly; SameSite=Strict${secure}`;
  expect(toSessionCookie(session, baseUrl)).toBe(`${name}=${session.secret}; Path=${path}; Max-Age=43200; ${rules}`);
  expect(toSessionCookie(null, baseUrl)).toBe(`${name}=; Path=${path}; Max-Age=0; ${rules}`);
});

test('a session is found by its cookie among others, at its own host alone, until it is closed', async () => {
  const { sessions, session, cookie } = await signIn();
  const find = (headers: GatewayRequest['headers']) => sessions.find(requestWith(headers));
  expect(await find({ cookie: `a=b;  ${cookie}; c=d` })).toMatchObject({ name: 'Mo' });
  expect(await find({ cookie, host: 'other.example' })).toBeUndefined();
  expect(await find({})).toBeUndefined();
  expect(await find({ cookie: cookie.slice(0, -1) })).toBeUndefined();
  await sessions.close(session);
  expect(await find({ cookie })).toBeUndefined();
});

test.each([
  [{}, true],
  [{ 'sec-fetch-site': 'same-origin', origin: `https://${HOST}` }, true],
  [{ 'sec-fetch-site': 'none' }, true],
  [{ 'sec-fetch-site': 'same-site' }, false],
  [{ 'sec-fetch-site': 'cross-site' }, false],
  [{ origin: `HTTPS://${HOST.toUpperCase()}` }, true],
  [{ origin: `http://${HOST}` }, true],
  [{ origin: `https://${HOST}:8443` }, false],
  [{ origin: 'null' }, false],
])('a request whose browser says %j of its page uses the session: %j', async (headers, isFound) => {
  const { sessions, cookie } = await signIn();
  expect((await sessions.find(requestWith({ cookie, ...headers }))) !== undefined).toBe(isFound);
});

test('an address waits from its twentieth failure until a minute after its first', async () => {
  const { platform, sessions } = await signIn();
  for (let i = 0; i < 19; i += 1) sessions.noteFailure('192.0.2.1');
  expect(sessions.waitSeconds('192.0.2.1')).toBe(0);
  await platform.advance(20_000);
  sessions.noteFailure('192.0.2.1');
  expect(sessions.waitSeconds('192.0.2.1')).toBe(40);
  expect(sessions.waitSeconds('192.0.2.2')).toBe(0);
  await platform.advance(40_000);
  expect(sessions.waitSeconds('192.0.2.1')).toBe(0);
});

test('who has no known address waits for nobody else', async () => {
  const { sessions } = await signIn();
  for (let i = 0; i < 40; i += 1) sessions.noteFailure('');
  expect(sessions.waitSeconds('')).toBe(0);
});
