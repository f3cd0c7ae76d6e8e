import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, onTestFinished, test } from 'vitest';

import { startComposed } from '../../../../test/support/gateways/start-composed.ts';

const TOKEN = 'scim-token-of-the-config';
const KEY = 'sk-gw-v1-manages';

test('a config file with a token of SCIM and an issuer of JWTs serves both, each to its own', async () => {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] });
  const issuer = createServer((_, response) => void response.end(jwks)).listen(0, '127.0.0.1');
  await once(issuer, 'listening');
  onTestFinished(() => void issuer.close());
  const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
  const entry = {
    issuer: 'https://id.example',
    audience: 'gateway',
    jwksUrl: `${url}/keys`,
    claims: { member: 'mail', allowedModels: 'models' },
  };
  const { apiUrl } = await startComposed({
    store: { type: 'memory' },
    scim: { token: TOKEN },
    auth: { jwt: [entry] },
    providers: [],
  });
  const ask = async (path: string, token: string, body?: object): Promise<number> => {
    const response = await fetch(new URL(path, apiUrl), {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    await response.text();
    return response.status;
  };
  const user = { userName: 'mia', emails: [{ value: 'mia@example.com' }] };
  expect(await ask('/scim/v2/Users', TOKEN, user)).toBe(201);
  const sign = (claims: Readonly<Record<string, unknown>>): Promise<string> =>
    new SignJWT({ mail: 'mia@example.com', ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .setIssuer('https://id.example')
      .setAudience('gateway')
      .setSubject('mia')
      .setExpirationTime('1h')
      .sign(privateKey);
  const jwt = await sign({ models: ['acme/chat'] });
  expect(await ask('/api/v1/models/user', jwt)).toBe(200);
  expect(await ask('/api/v1/models/user', await sign({ models: { all: true } }))).toBe(401);
  expect(await ask('/scim/v2/Users', jwt)).toBe(401);
  expect(await ask('/api/v1/models/user', TOKEN)).toBe(401);
});

test('groups of the configuration give roles to whom a directory sends, though nobody signs in by a provider', async () => {
  const { apiUrl, store } = await startComposed({
    store: { type: 'memory' },
    auth: { bootstrapKeys: [{ key: KEY, kind: 'management', name: 'admin' }] },
    scim: { token: TOKEN },
    signIn: { groups: { Finance: { role: 'billing' } } },
    providers: [],
  });
  const response = await fetch(new URL('/scim/v2/Users', apiUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userName: 'mia', roles: [{ value: 'Finance' }] }),
  });
  expect(response.status).toBe(201);
  expect(await store.members.list()).toMatchObject([{ organization_role: 'billing' }]);
  // They are none of a sign-in, as which they would be listed.
  const listed = await fetch(new URL('/admin/v1/groups', apiUrl), { headers: { authorization: `Bearer ${KEY}` } });
  expect(await listed.json()).toMatchObject({ total_count: 0 });
});
