import { describe, expect, test } from 'vitest';

import { openUpstream, toClusterConfig } from './support/cluster-config.ts';
import { findFreePort } from './support/engine-server.ts';
import { missingEngines, openDatabase, redisUrl } from './support/engines.ts';
import { askReady, serve } from './support/run-command.ts';
import { AUTHORITY_FILE, startTlsPostgres, startTlsRedis } from './support/tls-servers.ts';

const PASSWORD = 'secret77';

type Parts = Partial<Record<'password' | 'pathname' | 'hostname' | 'port' | 'search', string>>;
const change = (url: string, parts: Parts): string => Object.assign(new URL(url), parts).href;
const toTls = (url: string): string => url.replace(/^redis:/, 'rediss:');
const withPassword = (scheme: string, place: string): string => `${scheme}://:${PASSWORD}@${place}`;

/** What an operator reads when `serve` has this configuration: how it ended, or why it is not ready, and its log. */
async function readMessages(addresses: { readonly database: string; readonly redis?: string }, said: RegExp) {
  const started = await serve(toClusterConfig(await openUpstream(), addresses));
  if (!('url' in started)) return started.stderr;
  const read = async () => `${(await askReady(started)).text}\n${started.output.stderr}`;
  await expect.poll(read).toMatch(said);
  return read();
}

const DATABASES: readonly (readonly [what: string, toUrl: () => Promise<string> | string, said: RegExp])[] = [
  [
    'lacks the TLS of the URL',
    async () => change(await openDatabase(), { search: '?sslmode=require' }),
    /^PostgreSQL at 127\.0\.0\.1:\d+ offers no encryption, which store\.url asks for: remove sslmode there, or set up/m,
  ],
  [
    'refuses the password',
    async () => change(await openDatabase(), { password: PASSWORD }),
    /refused the password of the user "gateway": check it in store\.url/,
  ],
  [
    'asks for a password and gets none',
    async () => change(await openDatabase(), { password: '' }),
    /asks for a password of the user "gateway": store\.url has none/,
  ],
  [
    'has no such database',
    async () => change(await openDatabase(), { pathname: '/nowhere' }),
    /has no database "nowhere": create it \(createdb nowhere\), or change store\.url/,
  ],
  [
    'is at no known host',
    () => `postgres://gateway:${PASSWORD}@no-such-host.invalid/db`,
    /PostgreSQL at no-such-host\.invalid:5432 cannot be reached \((ENOTFOUND|EAI_AGAIN)\): check .* port in store\.url/,
  ],
  [
    'is not at that port',
    async () => change(await openDatabase(), { port: String(await findFreePort()) }),
    /cannot be reached \(ECONNREFUSED\): check that it runs, and the host and port in store\.url/,
  ],
  [
    'has a certificate of an unknown authority',
    async () => change(await startTlsPostgres('self-signed'), { search: '?sslmode=require' }),
    /certificate that is not trusted here \(DEPTH_ZERO_SELF_SIGNED_CERT\): name its authority by sslrootcert in store\.url/,
  ],
  [
    'has a certificate of another name',
    async () =>
      change(await startTlsPostgres('wrong-name'), { search: `?sslmode=verify-full&sslrootcert=${AUTHORITY_FILE}` }),
    /certificate of another name \(ERR_TLS_CERT_ALTNAME_INVALID\): write the host in store\.url as the certificate has/,
  ],
  [
    'has a certificate that is too old',
    async () =>
      change(await startTlsPostgres('expired'), { search: `?sslmode=verify-full&sslrootcert=${AUTHORITY_FILE}` }),
    /certificate that is not valid at this time \(CERT_HAS_EXPIRED\): renew it/,
  ],
  [
    'is to be trusted by a file that is not there',
    async () => change(await startTlsPostgres('good'), { search: '?sslmode=verify-full&sslrootcert=/nowhere.pem' }),
    /^The file \/nowhere\.pem cannot be read \(ENOENT\): store\.url names it for TLS/m,
  ],
  [
    'has an address with an odd password',
    () => `postgres://gateway:${PASSWORD}%@127.0.0.1/db`,
    /^The address of PostgreSQL in store\.url (cannot be read|has a %)/m,
  ],
];

describe.skipIf(missingEngines)('serve with a PostgreSQL that', () => {
  test.each(DATABASES)('%s says so, where and what to do, without the password', async (...row) => {
    const [, toUrl, said] = row;
    const messages = await readMessages({ database: await toUrl() }, said);
    expect(messages).toMatch(said);
    expect(messages).not.toContain(PASSWORD);
    expect(messages).not.toMatch(/\n +at |SECURITY WARNING/);
  });
});

const REDISES: readonly (readonly [what: string, toUrl: () => Promise<string> | string, said: RegExp])[] = [
  [
    'lacks the TLS of the URL',
    () => toTls(change(redisUrl(), { password: PASSWORD })),
    /Redis at 127\.0\.0\.1:\d+ [^;]+; if it has no TLS there, shared\.url has to begin with redis:\/\//,
  ],
  [
    'takes TLS alone',
    async () => withPassword('redis', `127.0.0.1:${await startTlsRedis('good')}`),
    /has closed the connection; if it takes TLS alone, shared\.url has to begin with rediss:\/\//,
  ],
  [
    'has a certificate of an unknown authority',
    async () => withPassword('rediss', `127.0.0.1:${await startTlsRedis('self-signed')}`),
    /has a certificate that is not trusted here: name its authority in NODE_EXTRA_CA_CERTS/,
  ],
  [
    'has a certificate that the machine does not know the authority of',
    async () => withPassword('rediss', `127.0.0.1:${await startTlsRedis('wrong-name')}`),
    /has a certificate that is not trusted here: name its authority in NODE_EXTRA_CA_CERTS/,
  ],
  [
    'refuses the password',
    () => change(redisUrl(), { password: PASSWORD }),
    /refuses the user or the password: check them in shared\.url/,
  ],
  [
    'asks for a password and gets none',
    () => change(redisUrl(), { password: '' }),
    /asks for a password, and shared\.url has none/,
  ],
  ['has no such database', () => `${redisUrl()}/99`, /has no database of that number: change it in shared\.url/],
  [
    'is at no known host',
    () => withPassword('redis', 'no-such-host.invalid'),
    /Redis at no-such-host\.invalid:6379 cannot be reached: (there is no host of that name; check shared\.url|the name)/,
  ],
  [
    'is not at that port',
    async () => withPassword('redis', `127.0.0.1:${await findFreePort()}`),
    /cannot be reached: nothing listens there; check that it runs, and the host and port in shared\.url/,
  ],
  [
    'has an address with an odd password',
    () => `redis://:${PASSWORD}%@127.0.0.1`,
    /^The address of Redis in shared\.url has a % in the user or the password/m,
  ],
];

describe.skipIf(missingEngines)('serve with a Redis that', () => {
  test.each(REDISES)('%s says so, where and what to do, without the password', async (...row) => {
    const [, toUrl, said] = row;
    const messages = await readMessages({ database: await openDatabase(), redis: await toUrl() }, said);
    expect(messages).toMatch(said);
    expect(messages).not.toContain(PASSWORD);
    expect(messages).not.toMatch(/\n +at |SECURITY WARNING/);
  });
});
