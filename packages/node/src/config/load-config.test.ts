import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { DEFAULT_TIMEOUTS } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { createConfigFolder, endpoint, local } from '../../../../test/support/config/config-folder.ts';

const { file, folder, load, refused } = createConfigFolder();

test('takes aliases of models, and refuses those that mean something else already', () => {
  const models = [{ id: 'a/one', aliases: ['fast'], endpoints: [endpoint] }];
  expect(load({ providers: [local], models }).models).toMatchObject(models);
  const clash = { id: 'a/two', aliases: ['a/one', 'fast', 'b', 'b'], endpoints: [endpoint] };
  expect(refused({ providers: [local], models: [...models, clash] })).toEqual([
    'models[0].aliases[0]: "fast" is an alias of "a/two" already',
    'models[1].aliases[0]: "a/one" is the id of a model',
    'models[1].aliases[1]: "fast" is an alias of "a/one" already',
    'models[1].aliases[3]: "b" is here already',
  ]);
});

test('takes the rules about providers by slug, display name and preset in any case', () => {
  const providers = {
    only: ['Local', 'LOCAL SERVER', 'my-OpenAI', 'openai', 'OpenAI/eu'],
    ignore: ['Groq', 'google ai studio', 'deepinfra/turbo'],
  };
  const openai = { slug: 'my-openai', preset: 'openai', apiKey: 'k' };
  const named = { ...local, name: 'Local Server' };
  expect(load({ providers: [named, openai], account: { providers } }).account.providers).toEqual(providers);
});

test('with a gateway among the providers takes names of providers behind it, in the list of ignored ones alone', () => {
  const gateway = { slug: 'up', preset: 'openrouter', apiKey: 'k' };
  const providers = { only: ['up'], ignore: ['Parasail', 'novita/fp8'] };
  expect(load({ providers: [local, gateway], account: { providers } }).account.providers).toEqual(providers);
  expect(refused({ providers: [local, gateway], account: { providers: { only: ['Parasail'] } } })).toEqual([
    'account.providers.only[0]: "Parasail" is not a known provider; known are: "local", "up"',
  ]);
  expect(refused({ providers: [local], account: { providers: { ignore: ['Parasail'] } } })).toHaveLength(1);
});

test('reads regions and their hosts', () => {
  const regions = [
    { name: 'eu', hosts: ['eu.gateway.example', '[2001:db8::1]'] },
    { name: 'frankfurt', hosts: ['frankfurt.example'], dataRegion: 'europe' },
  ];
  expect(load({ regions }).regions).toEqual(regions);
  expect(load({}).regions).toEqual([]);
});

test('reads the token of SCIM, which is not short, and issuers of JWTs with what is usual', () => {
  const jwt = [{ issuer: 'https://id.example', audience: 'gateway' }];
  const { auth, scim } = load(
    { scim: { token: 'env:SCIM' }, auth: { jwt } },
    {
      env: { SCIM: 'a-token-that-is-long' },
    },
  );
  expect(scim).toEqual({ token: 'a-token-that-is-long' });
  expect(auth.jwt).toEqual([
    {
      ...jwt[0],
      algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
      clockToleranceSeconds: 30,
      claims: {},
    },
  ]);
  expect(load({}).scim).toEqual({ token: null });
  expect(refused({ scim: { token: 'short' } })).toEqual(['scim.token: must have at least 16 characters']);
  expect(refused({ scim: { token: 'env:NONE' } })).toHaveLength(1);
  expect(load({ scim: { token: 'x'.repeat(512) } }).scim.token).toHaveLength(512);
  for (const token of ['x'.repeat(513), 'env:LONG']) {
    const env = { LONG: 'x'.repeat(513) };
    expect(refused({ scim: { token } }, { env })).toEqual(['scim.token: must have at most 512 characters']);
  }
  expect(refused({ scim: { token: 'two words in a token' } })[0]).toContain('ASCII without spaces');
  expect(refused({ auth: { jwt: [{ ...jwt[0], algorithms: ['HS256'] }] } })[0]).toContain('auth.jwt[0].algorithms[0]');
});

test('an empty file is a whole configuration', () => {
  const config = load({ $schema: './config.schema.json' });
  expect(config).toMatchObject({
    origin: 'file',
    file,
    server: { host: '127.0.0.1', port: 8855, publicUrl: null, trustedProxies: [], bodyLimitMb: 32, allowedOrigins: [] },
    auth: { bootstrapKeys: [] },
    account: {},
    store: { type: 'json', dir: join(folder, 'data') },
    logging: {
      inputOutput: true,
      acceptStore: false,
      cacheCauses: false,
      retentionDays: 30,
      maxGenerations: 100_000,
      maxContentMb: 8,
    },
    webhooks: {
      signingSecret: null,
      previousSigningSecret: null,
      defaultCallbackUrl: null,
      allowPrivateNetwork: false,
    },
    mail: null,
    videos: { keepMb: 2048 },
    files: {
      maxMb: 100,
      workspaceMaxMb: 10_240,
      workspaceMaxFiles: 10_000,
      retentionDays: null,
      downloads: false,
      sealed: false,
      s3: null,
    },
    webSearch: null,
    providers: [],
    models: [],
    warnings: [],
  });
  expect(config.timeouts).toEqual(DEFAULT_TIMEOUTS);
});

test('reads how often the catalog is compared with lists of models', () => {
  expect(load({}).catalog).toEqual({ update: null });
  expect(load({ catalog: { update: {} } }).catalog.update).toEqual({ every: '1d', apply: 'ask' });
  const list = { every: '12h', from: 'https://lists.example/models', provider: 'openai' };
  expect(load({ catalog: { update: list } }).catalog.update).toEqual({ ...list, apply: 'ask' });
  expect(refused({ catalog: { update: { every: '5m', from: 'https://lists.example/', apply: 'always' } } })).toEqual([
    expect.stringContaining('catalog.update.every: must be a number of hours or days'),
    expect.stringContaining('catalog.update.apply:'),
  ]);
  expect(refused({ catalog: { update: { from: 'https://lists.example/' } } })).toEqual([
    'catalog.update.provider: is missing: a list does not say whose prices it states',
  ]);
});

test('the catalog is compared with a file beside the config file, which has to be there', () => {
  const models = [{ id: 'a/one', endpoints: [endpoint] }];
  const loaded = (update: object) => load({ providers: [local], models, catalog: { update } });
  const problems = (update: object) => refused({ providers: [local], models, catalog: { update } });
  writeFileSync(join(folder, 'prices.json'), '{}');
  const { catalog, warnings } = loaded({ from: './prices.json', provider: 'local' });
  expect(catalog.update?.from).toBe(join(folder, 'prices.json'));
  expect(warnings).toEqual([]);
  expect(problems({ from: 'prices.json' })).toEqual([
    'catalog.update.provider: is missing: a list does not say whose prices it states',
  ]);
  expect(problems({ from: 'pries.json', provider: 'local' })).toEqual([
    `catalog.update.from: there is no file ${join(folder, 'pries.json')}. Name a provider, the address of a list of models, or a file with one`,
  ]);
  expect(problems({ from: './', provider: 'local' })).toEqual([
    `catalog.update.from: ${folder} is not a file with a list of models`,
  ]);
});

test('a provider whose list the catalog is compared with may come from the UI, so that another name is a warning', () => {
  const models = [{ id: 'a/one', endpoints: [endpoint] }];
  const config = (update: object) => ({ providers: [local], models, catalog: { update } });
  expect(load(config({ from: 'local' })).warnings).toEqual([]);
  const unknown = 'which is no provider of this file: it works once the UI has set it up';
  expect(load(config({ from: 'groq' })).warnings).toEqual([`catalog.update.from names "groq", ${unknown}`]);
  for (const field of ['from', 'provider']) {
    const { catalog, warnings } = load(config({ [field]: 'local2' }));
    expect(catalog.update).toMatchObject({ [field]: 'local2' });
    expect(warnings).toEqual([`catalog.update.${field} names "local2", ${unknown}. Did you mean "local"?`]);
  }
});

test.each([
  [{ defaultCallbackUrl: 'https://hooks.example/' }],
  [{ defaultCallbackUrl: 'https://127.0.0.1:8080/', allowPrivateNetwork: true }],
])('webhooks may be %j', (webhooks) => {
  expect(load({ webhooks }).webhooks).toMatchObject(webhooks);
});

test('flags win over the file, and a data directory given there is not relative to the file', () => {
  const flags = { host: '::1', port: 0, dataDir: 'elsewhere' };
  const config = load({ server: { host: '0.0.0.0', port: 1 }, store: { dir: 'kept' } }, { flags });
  expect(config.server).toMatchObject({ host: '::1', port: 0 });
  expect(config.store).toEqual({ type: 'json', dir: resolve('elsewhere') });
  expect(load({ store: { type: 'memory' } }, { flags }).store).toEqual({ type: 'memory' });
});

test('takes the addresses of PostgreSQL and Redis from variables, and has a place for the journal', () => {
  const env = { DATABASE_URL: 'postgres://me:secret@db:5432/gateway', REDIS_URL: 'rediss://:secret@cache:6379' };
  const config = {
    store: { type: 'postgres', url: 'env:DATABASE_URL' },
    shared: { type: 'redis', url: 'env:REDIS_URL' },
  };
  expect(load(config, { env })).toMatchObject({
    store: {
      type: 'postgres',
      url: env.DATABASE_URL,
      whenDown: 'refuse',
      maxConnections: 10,
      notifications: 'listen',
      dir: join(folder, 'data'),
    },
    shared: { type: 'redis', url: env.REDIS_URL, whenDown: 'open' },
  });
  expect(load(config, { env, flags: { dataDir: 'elsewhere' } }).store).toMatchObject({ dir: resolve('elsewhere') });
  expect(load({}).shared).toEqual({ type: 'memory' });
});

test('origins of pages, extensions and desktop shells can be allowed', () => {
  const allowedOrigins = ['https://App.example:8443', 'chrome-extension://abcdef', 'app://shell'];
  expect(load({ server: { allowedOrigins } }).server.allowedOrigins).toEqual(allowedOrigins);
});
