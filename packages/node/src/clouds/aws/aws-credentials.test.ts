import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, expect, test } from 'vitest';

import { createAwsCredentials, findAwsCredentials } from './aws-credentials.ts';

const REGION = 'eu-central-1';
const START = Date.UTC(2026, 10, 29, 12);
const HOUR = 3_600_000;

interface Asked {
  readonly request: string;
  readonly headers: IncomingMessage['headers'];
  readonly form: Readonly<Record<string, string>>;
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** The servers of AWS at one address of this machine: metadata, container and token service. */
async function startAws({
  expiresAt = () => START + HOUR,
  isDown = () => false,
}: { readonly expiresAt?: () => number; readonly isDown?: () => boolean } = {}) {
  const asked: Asked[] = [];
  const keys = (name: string) => ({
    AccessKeyId: `ASIA${name}${asked.length}`,
    SecretAccessKey: `secret-of-${name}`,
    Token: `token-of-${name}`,
    Expiration: new Date(expiresAt()).toISOString(),
  });
  const respond = (path: string, { Action: action = '' }: Asked['form']): string | object | undefined => {
    if (path === '/latest/api/token') return 'metadata-token';
    if (path === '/latest/meta-data/iam/security-credentials/') return 'gateway-role';
    if (path === '/latest/meta-data/iam/security-credentials/gateway-role') return keys('INSTANCE');
    if (path === '/container') return keys('CONTAINER');
    if (path !== '/sts/') return undefined;
    const { AccessKeyId, SecretAccessKey, Token, Expiration } = keys(action);
    return `<${action}Response><${action}Result><Credentials>
      <AccessKeyId>${AccessKeyId}</AccessKeyId><SecretAccessKey>${SecretAccessKey}</SecretAccessKey>
      <SessionToken>${Token}</SessionToken><Expiration>${Expiration}</Expiration>
    </Credentials></${action}Result></${action}Response>`;
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(pieces).toString()));
    asked.push({ request: `${request.method} ${request.url}`, headers: request.headers, form });
    const sent = isDown() ? undefined : respond(request.url ?? '', form);
    if (sent === undefined) response.writeHead(403).end('<Error><Code>AccessDenied</Code>secret-of-X</Error>');
    else response.end(typeof sent === 'string' ? sent : JSON.stringify(sent));
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, url };
}

/** An environment in which nothing is found, unless a test says where. */
function toEnv(more: Readonly<Record<string, string>> = {}, files: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'aws-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  return {
    HOME: home,
    AWS_CONFIG_FILE: join(home, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(home, 'credentials'),
    AWS_EC2_METADATA_DISABLED: 'true',
    ...more,
  };
}

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIDENV', AWS_SECRET_ACCESS_KEY: 'secret-of-env' };

test('keys of the environment come first, with their session', async () => {
  const env = toEnv(
    { ...KEYS, AWS_SESSION_TOKEN: 'session' },
    { credentials: '[default]\naws_access_key_id=AKIDFILE' },
  );
  expect(await findAwsCredentials({ region: REGION }, { env })).toEqual({
    credentials: { accessKeyId: 'AKIDENV', secretAccessKey: 'secret-of-env', sessionToken: 'session' },
    source: 'the environment (AWS_ACCESS_KEY_ID)',
  });
});

test('a profile of the shared files is read, of the file of credentials first', async () => {
  const env = toEnv(
    { AWS_PROFILE: 'work' },
    {
      config: '[profile work]\nregion = eu-west-1 ; near\naws_access_key_id = AKIDOLD\ns3 =\n  max = 3\n',
      credentials: '# keys\n[work]\naws_access_key_id = AKIDWORK\naws_secret_access_key=a=b/c+d\n',
    },
  );
  expect(await findAwsCredentials({ region: REGION }, { env })).toEqual({
    credentials: { accessKeyId: 'AKIDWORK', secretAccessKey: 'a=b/c+d' },
    source: 'the profile "work"',
  });
  await expect(findAwsCredentials({ region: REGION, profile: 'home' }, { env })).rejects.toThrow(
    `there is no profile "home" (read: ${env.AWS_CONFIG_FILE}, ${env.AWS_SHARED_CREDENTIALS_FILE})`,
  );
});

test('the role of an instance is read by version 2 of its metadata service', async () => {
  const { asked, url } = await startAws();
  const env = toEnv({ AWS_EC2_METADATA_DISABLED: 'false', AWS_EC2_METADATA_SERVICE_ENDPOINT: url });
  expect(await findAwsCredentials({ region: REGION }, { env })).toEqual({
    credentials: {
      accessKeyId: 'ASIAINSTANCE3',
      secretAccessKey: 'secret-of-INSTANCE',
      sessionToken: 'token-of-INSTANCE',
    },
    expiresAt: START + HOUR,
    source: 'the role gateway-role of this instance',
  });
  expect(asked.map(({ request }) => request)).toEqual([
    'PUT /latest/api/token',
    'GET /latest/meta-data/iam/security-credentials/',
    'GET /latest/meta-data/iam/security-credentials/gateway-role',
  ]);
  expect(asked[0]?.headers['x-aws-ec2-metadata-token-ttl-seconds']).toBe('21600');
  expect(asked[2]?.headers['x-aws-ec2-metadata-token']).toBe('metadata-token');
});

test('the role of a container is asked for with the token of the environment, and of near addresses alone', async () => {
  const { asked, url } = await startAws();
  const env = toEnv({
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/container`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: 'Basic x',
  });
  expect(await findAwsCredentials({ region: REGION }, { env })).toMatchObject({ source: 'the role of this container' });
  expect(asked[0]?.headers.authorization).toBe('Basic x');
  const far = toEnv({ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://keys.example/container' });
  await expect(findAwsCredentials({ region: REGION }, { env: far })).rejects.toThrow('must be an address of https');
});

test('a web identity takes its role on by the token in its file, which is read each time', async () => {
  const { asked, url } = await startAws();
  const env = toEnv(
    { AWS_ROLE_ARN: 'arn:aws:iam::1:role/pod', AWS_ENDPOINT_URL_STS: `${url}/sts/` },
    { token: 'first\n' },
  );
  const path = join(env.HOME, 'token');
  const host = { env: { ...env, AWS_WEB_IDENTITY_TOKEN_FILE: path } };
  expect(await findAwsCredentials({ region: REGION }, host)).toMatchObject({
    credentials: { sessionToken: 'token-of-AssumeRoleWithWebIdentity' },
    expiresAt: START + HOUR,
  });
  writeFileSync(path, 'second');
  await findAwsCredentials({ region: REGION }, host);
  expect(asked.map(({ form }) => form['WebIdentityToken'])).toEqual(['first', 'second']);
  expect(asked[0]?.form).toMatchObject({ RoleArn: 'arn:aws:iam::1:role/pod', RoleSessionName: 'model-gateway' });
  expect(asked[0]?.headers.authorization).toBeUndefined();
});

test('a role is taken on with the keys that were found, signed by them, at the clock of the gateway', async () => {
  const { asked, url } = await startAws();
  const env = toEnv({ ...KEYS, AWS_ENDPOINT_URL_STS: `${url}/sts/` });
  const identity = { region: REGION, roleArn: 'arn:aws:iam::2:role/models', externalId: 'ours' };
  const found = await findAwsCredentials(identity, { env, now: () => START });
  expect(found.source).toBe('the role arn:aws:iam::2:role/models, by the environment (AWS_ACCESS_KEY_ID)');
  expect(asked[0]?.form).toMatchObject({ Action: 'AssumeRole', ExternalId: 'ours' });
  expect(asked[0]?.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDENV\/20261129\/eu-central-1\/sts\//,
  );
});

test('profiles that take roles on by each other are followed to the keys, and never in a circle', async () => {
  const { asked, url } = await startAws();
  const config = `[profile far]\nrole_arn = arn:far\nsource_profile = near
[profile near]\nrole_arn = arn:near\nsource_profile = near\naws_access_key_id = AKIDNEAR\naws_secret_access_key = s
[profile a]\nrole_arn = arn:a\nsource_profile = b\n[profile b]\nrole_arn = arn:b\nsource_profile = a
[profile here]\nrole_arn = arn:here\ncredential_source = Environment\n[profile sso]\nsso_session = x\n`;
  const env = toEnv({ ...KEYS, AWS_ENDPOINT_URL_STS: `${url}/sts/` }, { config });
  const find = (profile: string) => findAwsCredentials({ region: REGION, profile }, { env });
  expect((await find('far')).source).toBe('the role arn:far, by the role arn:near, by the profile "near"');
  expect(asked.map(({ form }) => form['RoleArn'])).toEqual(['arn:near', 'arn:far']);
  expect((await find('here')).source).toContain('by the environment');
  await expect(find('a')).rejects.toThrow('takes a role on by itself');
  await expect(find('sso')).rejects.toThrow('needs sso_session, which is not supported');
});

test('where nothing is found, all places are named, and nothing of what servers said', async () => {
  const { url } = await startAws({ isDown: () => true });
  const env = toEnv({
    AWS_WEB_IDENTITY_TOKEN_FILE: '/nowhere/token',
    AWS_ROLE_ARN: 'arn:x',
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/container`,
  });
  const error = await findAwsCredentials({ region: REGION }, { env }).catch((thrown: Error) => thrown);
  expect((error as Error).message).toBe(
    'no credentials of AWS were found; environment (AWS_ACCESS_KEY_ID): none; shared files, profile "default": none; ' +
      'web identity (AWS_WEB_IDENTITY_TOKEN_FILE): the token in /nowhere/token cannot be read; ' +
      'role of the container: the agent of this container refused (HTTP 403, AccessDenied); role of the instance: none',
  );
});

test('credentials are fetched once for many calls, anew before they expire, and used to their end if that fails', async () => {
  let now = START;
  let isDown = false;
  const { asked, url } = await startAws({ expiresAt: () => now + HOUR, isDown: () => isDown });
  const env = toEnv({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/container` });
  const ask = createAwsCredentials({ region: REGION }, { env, now: () => now });
  const idOf = async () => (await ask()).accessKeyId;
  expect(await Promise.all([idOf(), idOf(), idOf()])).toEqual(Array(3).fill('ASIACONTAINER1'));
  now += HOUR - 6 * 60_000;
  expect(await idOf()).toBe('ASIACONTAINER1');
  expect(asked.length).toBe(1);

  // Within the last five minutes the next ones are fetched, while this call goes on with those that are there.
  now += 2 * 60_000;
  expect(await idOf()).toBe('ASIACONTAINER1');
  await expect.poll(idOf).toBe('ASIACONTAINER2');

  now += HOUR - 60_000;
  isDown = true;
  expect(await idOf()).toBe('ASIACONTAINER2');
  await expect.poll(() => asked.length).toBe(3);
  expect(await idOf()).toBe('ASIACONTAINER2');
  now += 60_000;
  await expect(idOf()).rejects.toThrow('no credentials of AWS were found');
  isDown = false;
  expect(await idOf()).toMatch(/^ASIACONTAINER\d$/);
});
