import { createGateway, type Gateway } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createNodePlatform, listen, type Listener } from '@model-gateway/node';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { type RawResponse, sendRaw } from '../support/clients/send-raw.ts';

const API_KEY = 'sk-gw-v1-test';

let gateway: Gateway;
let listener: Listener;
let cookie: string;
let csrf: string;

beforeEach(async () => {
  gateway = createGateway({
    providers: [],
    store: createMemoryStore(),
    platform: createNodePlatform(),
    bootstrapKeys: [{ key: API_KEY, kind: 'api', name: 'dev' }],
  });
  listener = await listen(gateway, { port: 0, allowedOrigins: ['https://app.example'] });
  const response = await send('POST', '/admin/v1/session', {}, { token: gateway.createSignInToken() });
  if (response.status !== 201) throw new Error(response.body);
  [cookie = ''] = (response.headers['set-cookie']?.[0] ?? '').split(';');
  csrf = (JSON.parse(response.body) as { data: { csrf_token: string } }).data.csrf_token;
});
afterEach(async () => {
  await gateway.close();
  await listener.close();
});

function send(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<RawResponse> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  return sendRaw(listener.url, path, { method, headers: { 'content-type': 'application/json', ...headers }, ...json });
}

const newKey = { name: 'k' };

test('a browser that has signed in reads and writes by its cookie', async () => {
  expect((await send('GET', '/admin/v1/generations', { cookie })).status).toBe(200);
  expect((await send('POST', '/api/v1/keys', { cookie, 'x-csrf-token': csrf }, newKey)).status).toBe(201);
});

test('117: a name that was rebound to this machine gets 403 by its Host, cookie or not', async () => {
  const host = `evil.example:${listener.port}`;
  expect((await send('GET', '/admin/v1/generations', { cookie, host })).status).toBe(403);
  expect((await send('GET', '/admin/v1/session', { cookie, host })).status).toBe(403);
  const token = gateway.createSignInToken();
  expect((await send('POST', '/admin/v1/session', { host }, { token })).status).toBe(403);
});

test('117: another name of this machine is served, but is not the one that has signed in', async () => {
  const host = `localhost:${listener.port}`;
  expect((await send('GET', '/admin/v1/generations', { cookie, host })).status).toBe(401);
});

test.each([
  ['a page of another site', { origin: 'https://evil.example' }, 403],
  ['a page of another port', { origin: 'http://127.0.0.1:1' }, 403],
  // It may call with a key of its own, but the operator's cookie is not its own.
  ['an allowed page of another site', { origin: 'https://app.example' }, 401],
  ['a form without origin', { 'sec-fetch-site': 'cross-site' }, 401],
])('%s writes nothing with the cookie of the UI', async (_, headers, status) => {
  const forged = await send('POST', '/api/v1/keys', { cookie, 'x-csrf-token': csrf, ...headers }, newKey);
  expect(forged.status).toBe(status);
  const left = await send('GET', '/api/v1/keys', { cookie });
  expect(JSON.parse(left.body)).toMatchObject({ data: [] });
});

test('a response to another origin never allows credentials', async () => {
  for (const method of ['GET', 'OPTIONS']) {
    const { headers } = await send(method, '/admin/v1/session', { cookie, origin: 'https://app.example' });
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  }
});

test('93: a form cannot sign in with a type that needs no preflight', async () => {
  const token = gateway.createSignInToken();
  expect((await send('POST', '/admin/v1/session', { 'content-type': 'text/plain' }, { token })).status).toBe(415);
});

test('an API key cannot sign in, and reads no generation of the admin surface', async () => {
  expect((await send('POST', '/admin/v1/session', {}, { key: API_KEY })).status).toBe(403);
  expect((await send('GET', '/admin/v1/generations', { authorization: `Bearer ${API_KEY}` })).status).toBe(403);
});
