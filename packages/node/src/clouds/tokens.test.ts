import { generateKeyPairSync, verify } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { gaxios } from 'google-auth-library';
import { afterEach, expect, test, vi } from 'vitest';

import { createAzureTokens } from './azure-token.ts';
import { createGoogleTokens } from './google-token.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const close of closers.splice(0)) close();
});

interface Asked {
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly form: URLSearchParams;
}

/** A server that issues tokens, numbered. */
async function startIssuer(respond: (token: string, asked: Asked) => object | null) {
  const asked: Asked[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const form = new URLSearchParams(Buffer.concat(pieces).toString());
    const one = { url: request.url ?? '', headers: request.headers, form };
    asked.push(one);
    const sent = respond(`token-${asked.length}`, one);
    response.writeHead(sent === null ? 403 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(sent ?? { error: 'access_denied' }));
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const decode = (part = ''): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());

function writeKeyFile(content: object): string {
  const file = join(mkdtempSync(join(tmpdir(), 'google-')), 'key.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

const SERVICE_ACCOUNT = {
  type: 'service_account',
  project_id: 'acme',
  private_key_id: 'key-1',
  private_key: privateKey,
  client_email: 'gateway@acme.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
};

test('a service account exchanges a signed assertion for a token, once for many calls', async () => {
  const { asked, url } = await startIssuer((token) => ({
    access_token: token,
    expires_in: 3600,
    token_type: 'Bearer',
  }));
  const keyFile = writeKeyFile(SERVICE_ACCOUNT);
  // Whatever the file says, the library asks Google's own address for tokens of service accounts.
  const transporter = new gaxios.Gaxios();
  transporter.interceptors.request.add({
    resolved: async (config) => {
      expect(String(config.url)).toBe('https://oauth2.googleapis.com/token');
      return { ...config, url: new URL(`${url}/token`) };
    },
  });
  const ask = createGoogleTokens({ keyFile, project: 'acme' }, { transporter });
  expect([await ask(), await ask()]).toEqual(['token-1', 'token-1']);
  const [first] = asked;
  const [head, claims, signature] = first?.form.get('assertion')?.split('.') ?? [];
  expect(decode(head)).toMatchObject({ alg: 'RS256' });
  expect(decode(claims)).toMatchObject({
    iss: 'gateway@acme.iam.gserviceaccount.com',
    scope: 'https://www.googleapis.com/auth/cloud-platform',
  });
  const signed = Buffer.from(`${head}.${claims}`);
  expect(verify('sha256', signed, publicKey, Buffer.from(signature ?? '', 'base64url'))).toBe(true);
  expect(asked.length).toBe(1);
});

test('workload identity federation exchanges a token of elsewhere, by the file that the environment names', async () => {
  const { asked, url } = await startIssuer((token) => ({
    access_token: token,
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    token_type: 'Bearer',
    expires_in: 3600,
  }));
  const subject = writeKeyFile({});
  writeFileSync(subject, 'token-of-kubernetes');
  const file = writeKeyFile({
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/k8s',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${url}/v1/token`,
    credential_source: { file: subject },
  });
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);
  expect(await createGoogleTokens({ project: 'acme' })()).toBe('token-1');
  expect(asked[0]?.form.get('subject_token')).toBe('token-of-kubernetes');
});

test('a refusal rejects without anything of the key', async () => {
  const { url } = await startIssuer(() => null);
  const file = writeKeyFile({
    type: 'authorized_user',
    client_id: 'c',
    client_secret: 'secret-of-client',
    refresh_token: 'refresh-of-user',
    universe_domain: 'googleapis.com',
    token_uri: url,
  });
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', join(file, 'gone'));
  const error = (await createGoogleTokens({})().catch((thrown: Error) => thrown)) as Error;
  expect(error).toBeInstanceOf(Error);
  expect(error.message).not.toMatch(/secret-of-client|refresh-of-user/);
});

test('a managed identity of Azure gets a token, which is asked for anew before it expires', async () => {
  let now = Date.now();
  const { asked, url } = await startIssuer((token) => ({
    access_token: token,
    expires_on: String(Math.floor(now / 1000) + 3600),
    resource: 'https://cognitiveservices.azure.com',
    token_type: 'Bearer',
  }));
  for (const name of ['AZURE_TENANT_ID', 'AZURE_CLIENT_ID', 'AZURE_CLIENT_SECRET', 'AZURE_FEDERATED_TOKEN_FILE']) {
    vi.stubEnv(name, undefined);
  }
  vi.stubEnv('IDENTITY_ENDPOINT', `${url}/msi/token`);
  vi.stubEnv('IDENTITY_HEADER', 'header-of-app-service');
  const ask = createAzureTokens({}, () => now);
  expect([await ask(), await ask()]).toEqual(['token-1', 'token-1']);
  expect(asked[0]?.url).toContain('resource=https%3A%2F%2Fcognitiveservices.azure.com');
  expect(asked[0]?.headers['x-identity-header']).toBe('header-of-app-service');
  now += 3_590_000;
  expect(typeof (await ask())).toBe('string');
});
