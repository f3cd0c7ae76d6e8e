import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { DEFAULT_TIMEOUTS } from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { afterAll, expect, test } from 'vitest';

import { ConfigError } from './config-errors.ts';
import { type GatewayConfig, loadConfig, type LoadConfigOptions } from './load-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'gateway.config.json');

function load(config: unknown, options: Partial<LoadConfigOptions> = {}): GatewayConfig {
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config));
  return loadConfig({ file, env: {}, presets: PRESETS, ...options });
}

/** The issues of a config that must be refused, as `path: message` lines. */
function refused(config: unknown, options: Partial<LoadConfigOptions> = {}): string[] {
  let error: unknown;
  try {
    load(config, options);
  } catch (thrown) {
    error = thrown;
  }
  if (!(error instanceof ConfigError)) throw new Error('the config was accepted', { cause: error });
  const lines = error.issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  expect(error.message.split('\n  ').slice(1)).toEqual(lines);
  expect(error.message).toContain(file);
  return lines;
}

const local = { slug: 'local', wire: 'openai', baseUrl: 'http://127.0.0.1:11434/v1/' };
const endpoint = { provider: 'local', providerModel: 'x' };

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
    files: { maxMb: 100, workspaceMaxMb: 10_240, workspaceMaxFiles: 10_000, downloads: false, sealed: false, s3: null },
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

test('a provider is taken as it stands, with a model that names it', () => {
  const config = load(
    {
      providers: [{ ...local, headers: { 'x-team': 'env:TEAM' }, region: 'eu' }],
      models: [{ id: 'acme/chat-1', endpoints: [endpoint] }],
    },
    { env: { TEAM: 'blue' } },
  );
  expect(config.providers).toEqual([
    {
      slug: 'local',
      name: 'local',
      preset: null,
      wire: 'openai',
      baseUrl: 'http://127.0.0.1:11434/v1',
      query: {},
      apiKey: undefined,
      apiKeys: [],
      cloud: null,
      headers: { 'x-team': 'blue' },
      dataPolicy: undefined,
      responses: false,
      region: 'eu',
      byok: false,
      discoverModels: false,
      listsModels: undefined,
    },
  ]);
  expect(config.models).toEqual([{ id: 'acme/chat-1', endpoints: [endpoint] }]);
  expect(config.warnings).toEqual([]);
});

test('a preset brings its address, and its key from the customary variable', () => {
  const { providers, warnings } = load(
    { providers: [{ slug: 'openai', preset: 'openai' }] },
    { env: { OPENAI_API_KEY: 'key-of-the-variable\n' } },
  );
  expect(providers[0]).toMatchObject({
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    apiKey: 'key-of-the-variable',
  });
  expect(warnings).toEqual(['provider "openai" serves no model: name it in models, or set its discoverModels to true']);
  const perplexity = { slug: 'p', preset: 'perplexity', apiKey: 'k' };
  expect(load({ providers: [perplexity] }).warnings).toEqual([
    'provider "p" serves no model: name it in models of a config file',
  ]);
});

test('every wire can be spoken, and the presets of each bring theirs', () => {
  const env = { ANTHROPIC_API_KEY: 'a', GOOGLE_API_KEY: 'g' };
  const { providers } = load(
    {
      providers: [
        { slug: 'anthropic', preset: 'anthropic' },
        { slug: 'google-ai-studio', preset: 'google' },
        { slug: 'mine', wire: 'anthropic', baseUrl: 'https://messages.example/v1' },
        { slug: 'other', wire: 'google', baseUrl: 'https://gemini.example/v1beta' },
      ],
    },
    { env },
  );
  expect(providers.map(({ slug, wire, baseUrl, apiKey }) => [slug, wire, baseUrl, apiKey])).toEqual([
    ['anthropic', 'anthropic', 'https://api.anthropic.com/v1', 'a'],
    ['google-ai-studio', 'google', 'https://generativelanguage.googleapis.com/v1beta', 'g'],
    ['mine', 'anthropic', 'https://messages.example/v1', undefined],
    ['other', 'google', 'https://gemini.example/v1beta', undefined],
  ]);
});

test('of two variables of one key the first wins', () => {
  const env = { GEMINI_API_KEY: 'first', GOOGLE_API_KEY: 'second' };
  expect(load({ providers: [{ slug: 'g', preset: 'google' }] }, { env }).providers[0]?.apiKey).toBe('first');
});

test('Azure stands at the customer’s own address, from the file or the customary variable', () => {
  const env = { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_ENDPOINT: 'https://acme.openai.azure.com/' };
  const azure = { slug: 'azure', preset: 'azure' };
  const load1 = (entry: object, variables: object = env): object =>
    load({ providers: [{ ...azure, ...entry }] }, { env: { ...variables } }).providers[0] ?? {};
  expect(load1({})).toMatchObject({ baseUrl: 'https://acme.openai.azure.com/openai/v1', apiKey: 'k', query: {} });
  expect(load1({}, { ...env, AZURE_OPENAI_ENDPOINT: 'https://acme.example/openai/v1/' })).toMatchObject({
    baseUrl: 'https://acme.example/openai/v1',
  });
  const deployments = {
    baseUrl: 'https://acme.openai.azure.com/openai/deployments/{model}',
    query: { 'api-version': '2024-10-21' },
  };
  expect(load1(deployments, { AZURE_OPENAI_API_KEY: 'k' })).toMatchObject({ ...deployments, apiKey: 'k' });
});

test('the key of a preset is not sent to an address that replaces its own', () => {
  const { providers } = load(
    { providers: [{ slug: 'proxy', preset: 'openai', baseUrl: 'https://proxy.example/v1' }] },
    { env: { OPENAI_API_KEY: 'key-of-the-variable' } },
  );
  expect(providers[0]?.apiKey).toBeUndefined();
});

test.each([
  [{ defaultCallbackUrl: 'https://hooks.example/' }],
  [{ defaultCallbackUrl: 'https://127.0.0.1:8080/', allowPrivateNetwork: true }],
])('webhooks may be %j', (webhooks) => {
  expect(load({ webhooks }).webhooks).toMatchObject(webhooks);
});

test('file:PATH is read wherever a secret may stand, relative to the config file, and nowhere else', () => {
  const secrets = join(folder, 'secrets');
  mkdirSync(secrets, { recursive: true });
  const write = (name: string, text: string): string => {
    writeFileSync(join(secrets, name), text);
    return join(secrets, name);
  };
  write('key', 'sk-one\n');
  const config = load({
    auth: { bootstrapKeys: [{ key: 'file:secrets/key', kind: 'api', name: 'dev' }] },
    webhooks: { signingSecret: `file:${write('new', `\uFEFF${'n'.repeat(24)}\r\n`)}` },
    account: { defaultModel: 'file:secrets/key' },
    store: { type: 'postgres', url: `file://${write('database', 'postgres://gateway:pass@db:5432/gateway\n')}` },
    providers: [
      { ...local, apiKey: `file:${write('up', 'sk-two')}`, headers: { a: 'file:secrets/key' }, discoverModels: true },
    ],
  });
  expect(config.auth.bootstrapKeys[0]?.key).toBe('sk-one');
  expect(config.webhooks.signingSecret).toBe('n'.repeat(24));
  expect(config.store).toMatchObject({ url: 'postgres://gateway:pass@db:5432/gateway' });
  expect(config.providers[0]).toMatchObject({ apiKey: 'sk-two', headers: { a: 'sk-one' } });
  expect(config.account.defaultModel).toBe('file:secrets/key');
});

test('a provider has several keys, each with its numbers, of which its own key is the first', () => {
  const apiKeys = [{ key: 'env:KEY_A', name: 'team-a', weight: 2, requestsPerMinute: 500 }, { key: 'sk-b' }];
  const env = { KEY_A: 'sk-a', OPENAI_API_KEY: 'sk-of-the-environment' };
  const of = (entry: object) => load({ providers: [{ slug: 'o', preset: 'openai', ...entry }] }, { env }).providers[0];
  const listed = [
    { key: 'sk-a', name: 'team-a', weight: 2, requestsPerMinute: 500 },
    { key: 'sk-b', name: 'key-2' },
  ];
  expect(of({ apiKeys })).toMatchObject({ apiKey: 'sk-a', apiKeys: listed });
  expect(of({ apiKeys, apiKey: 'sk-0' })?.apiKeys).toEqual([{ name: 'apiKey', key: 'sk-0' }, ...listed]);
  expect(of({})).toMatchObject({ apiKey: 'sk-of-the-environment', apiKeys: [] });
  const twice = [{ key: 'a', name: 'key-2' }, { key: 'b' }];
  expect(refused({ providers: [{ ...local, apiKeys: twice }] })).toEqual([
    'providers[0].apiKeys[1].name: must be the name of one key alone',
  ]);
  expect(refused({ providers: [{ ...local, apiKeys: [{ key: 'a', weight: 0 }] }] })).toHaveLength(1);
});

test('a secret file that cannot be used is an error with the field and the file, and never with its content', () => {
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return name;
  };
  const of = (apiKey: string): string[] => refused({ providers: [{ ...local, apiKey }] });
  const start = 'providers[0].apiKey: ';
  expect(of('file:secrets/none')).toEqual([
    `${start}there is no file ${join(folder, 'secrets/none')}. Write the secret to it, or name another file`,
  ]);
  expect(of(`file:${folder}`)).toEqual([`${start}${folder} is not a file that holds a secret`]);
  expect(of(`file:${write('empty', ' \n')}`)).toEqual([`${start}the file ${join(folder, 'empty')} is empty`]);
  expect(of(`file:${write('large', 'x'.repeat(100_000))}`)).toEqual([
    `${start}${join(folder, 'large')} has 100000 bytes, too many for a secret`,
  ]);
  expect(of('file:')).toEqual([
    `${start}after "file:" comes the path of a file that holds the secret, e.g. "file:/run/secrets/openai_api_key"`,
  ]);
  expect(of(`file:${write('two lines', 'sk-hidden\nmore')}`)).toEqual([
    `${start}must be printable ASCII without spaces; was it copied whole?`,
  ]);
  expect(refused({ shared: { type: 'redis', url: 'file:secrets/none' } })).toEqual([
    expect.stringContaining('shared.url: there is no file'),
  ]);
});

test('a secret that looks like a reference of another kind is taken as it stands, with a warning', () => {
  const warningsOf = (apiKey: string): readonly string[] =>
    load({ providers: [{ ...local, apiKey, discoverModels: true }] }).warnings;
  const hint = 'and is used as it stands: only env:NAME and file:PATH are read';
  expect(warningsOf('vault:secret/data/openai#key')).toEqual([
    `providers[0].apiKey looks like a reference (vault:), ${hint}`,
  ]);
  expect(warningsOf('ENV:OPENAI_API_KEY')).toEqual([`providers[0].apiKey looks like a reference (ENV:), ${hint}`]);
  expect(warningsOf('op://vault/item/field')).toEqual([`providers[0].apiKey looks like a reference (op:), ${hint}`]);
  expect(warningsOf('${OPENAI_API_KEY}')).toEqual([`providers[0].apiKey looks like a reference ($), ${hint}`]);
  for (const key of ['sk-one', 'fa1e:0c2d', '0b5e-41:9f00', 'user:pass']) expect(warningsOf(key)).toEqual([]);
});

test('env:NAME is read wherever a secret may stand, and nowhere else', () => {
  const env = { KEY: 'sk-one', PROVIDER_KEY: 'sk-two', HEADER: 'three', NEW: 'n'.repeat(24), OLD: 'o'.repeat(24) };
  const config = load(
    {
      auth: { bootstrapKeys: [{ key: 'env:KEY', kind: 'api', name: 'dev' }] },
      webhooks: { signingSecret: 'env:NEW', previousSigningSecret: 'env:OLD' },
      account: { defaultModel: 'env:KEY' },
      providers: [{ ...local, apiKey: 'env:PROVIDER_KEY', headers: { a: 'env:HEADER' }, discoverModels: true }],
    },
    { env },
  );
  expect(config.auth.bootstrapKeys[0]?.key).toBe('sk-one');
  expect(config.webhooks).toMatchObject({ signingSecret: env.NEW, previousSigningSecret: env.OLD });
  expect(config.providers[0]).toMatchObject({ apiKey: 'sk-two', headers: { a: 'three' } });
  expect(config.account.defaultModel).toBe('env:KEY');
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

test('without a file, providers come from the variables that are set', () => {
  const env = { GROQ_API_KEY: 'g', OPENAI_API_KEY: '  ', ANTHROPIC_API_KEY: 'a', GOOGLE_API_KEY: 'o' };
  const config = loadConfig({ env, presets: PRESETS });
  expect(config).toMatchObject({ origin: 'environment', file: null, store: { type: 'json', dir: resolve('data') } });
  expect(
    config.providers.map(({ slug, wire, apiKey, discoverModels }) => [slug, wire, apiKey, discoverModels]),
  ).toEqual([
    ['groq', 'openai', 'g', true],
    ['anthropic', 'anthropic', 'a', true],
    ['google-ai-studio', 'google', 'o', true],
  ]);
  expect(config.warnings).toEqual([]);
  expect(loadConfig({ env: {}, presets: PRESETS })).toMatchObject({ origin: 'none', providers: [] });
});

test('of the variables of Azure, both are needed, and its models must be named', () => {
  const fromEnvironment = (env: Record<string, string>): unknown[] => {
    const { providers, warnings } = loadConfig({ env, presets: PRESETS });
    return [providers.map(({ slug, baseUrl, discoverModels }) => [slug, baseUrl, discoverModels]), warnings];
  };
  const key = { AZURE_OPENAI_API_KEY: 'k' };
  expect(fromEnvironment({ ...key, AZURE_OPENAI_ENDPOINT: 'https://acme.openai.azure.com' })).toEqual([
    [['azure', 'https://acme.openai.azure.com/openai/v1', false]],
    ['provider "azure" serves no model: name it in models of a config file'],
  ]);
  for (const address of ['', 'acme', 'https://u:hidden@acme.example']) {
    expect(fromEnvironment({ ...key, AZURE_OPENAI_ENDPOINT: address })).toEqual([
      [],
      [
        'AZURE_OPENAI_API_KEY is set, but AZURE_OPENAI_ENDPOINT is not, or is no address; it should be like https://RESOURCE.openai.azure.com/openai/v1',
      ],
    ]);
  }
});

test.each<[string, unknown, string]>([
  ['an unknown field', { server: { prot: 1 } }, 'server.prot: is not a known field. Did you mean "port"?'],
  [
    'an unknown field in another case',
    { providers: [{ ...local, base_url: 'x' }] },
    'providers[0].base_url: is not a known field. Did you mean "baseUrl"?',
  ],
  [
    'an unknown field like no other',
    { logging: { colour: 'red' } },
    'logging.colour: is not a known field. Remove it; the fields here are inputOutput, acceptStore, cacheCauses, retentionDays, maxGenerations, maxContentMb',
  ],
  ['an unknown section', { provider: [] }, 'provider: is not a known field. Did you mean "providers"?'],
  [
    'an unknown field of a tagged section',
    { store: { drr: 'x' } },
    'store.drr: is not a known field. Did you mean "dir"?',
  ],
  [
    'an unknown field in a model',
    { providers: [local], models: [{ id: 'a/b', endpoints: [{ ...endpoint, pricing: { promt: '1' } }] }] },
    'models[0].endpoints[0].pricing.promt: is not a known field. Did you mean "prompt"?',
  ],
  ['the wrong type', { server: { port: '8855' } }, 'server.port: must be a number, but is text'],
  ['a broken number', { server: { port: 1.5 } }, 'server.port: must be a whole number'],
  ['a number beyond its range', { server: { port: 70000 } }, 'server.port: must be at most 65535'],
  ['a timer longer than timers can be', { timeouts: { totalMs: 3e9 } }, 'timeouts.totalMs: must be at most 2147483647'],
  [
    'a missing field',
    { providers: [{ wire: 'openai', baseUrl: 'http://x/v1' }] },
    'providers[0].slug: is missing; give text in double quotes',
  ],
  [
    'a word that is not one of the choices',
    { auth: { bootstrapKeys: [{ key: 'k', kind: 'root' }] } },
    'auth.bootstrapKeys[0].kind: must be one of "api", "management"',
  ],
  [
    'an unknown store',
    { store: { type: 'sqlite' } },
    'store.type: must be one of "json", "postgres", "memory", "module"',
  ],
  [
    'an address that is not http',
    { providers: [{ ...local, baseUrl: 'ftp://x' }] },
    'providers[0].baseUrl: must be an http or https address, e.g. "https://host/v1"',
  ],
  [
    'an address with a password',
    { providers: [{ ...local, baseUrl: 'http://u:hidden@x/v1' }] },
    'providers[0].baseUrl: must not contain a user name or password: put them in apiKey or headers',
  ],
  [
    'an address with a query',
    { providers: [{ ...local, baseUrl: 'http://x/v1?key=hidden' }] },
    'providers[0].baseUrl: must not contain a query or fragment',
  ],
  [
    'a header name with a space',
    { providers: [{ ...local, headers: { 'a b': 'x' } }] },
    'providers[0].headers.a b: is not a valid name of an HTTP header',
  ],
  [
    'a key with a line break in it',
    { providers: [{ ...local, apiKey: 'hidden\nhidden' }] },
    'providers[0].apiKey: must be printable ASCII without spaces; was it copied whole?',
  ],
  [
    'a provider without an address',
    { providers: [{ slug: 'a', wire: 'openai' }] },
    'providers[0].baseUrl: is missing; a provider without a preset needs it',
  ],
  [
    'a preset by the name of what every object has',
    { providers: [{ slug: 'a', preset: '__proto__' }] },
    `providers[0].preset: "__proto__" is not available in this version; this one has ${Object.keys(PRESETS)
      .map((name) => `"${name}"`)
      .join(', ')}`,
  ],
  [
    'a provider without anything',
    { providers: [{ slug: 'a' }] },
    'providers[0]: needs a "preset", a "package", or a "wire" and a "baseUrl"',
  ],
  [
    'a preset and a wire',
    { providers: [{ slug: 'a', preset: 'ollama', wire: 'openai' }] },
    'providers[0].wire: contradicts "preset", which decides the wire; remove one of them',
  ],
  [
    'a preset without its key',
    { providers: [{ slug: 'a', preset: 'groq' }] },
    'providers[0].apiKey: is missing, and GROQ_API_KEY is not set. Set one of them ("env:NAME" works here)',
  ],
  [
    'a variable that is not set',
    { providers: [{ ...local, apiKey: 'env:MISSING_KEY' }] },
    'providers[0].apiKey: the environment variable MISSING_KEY is not set (or empty). Set it, or write the value here',
  ],
  [
    'a reference without a name',
    { providers: [{ ...local, apiKey: 'env:' }] },
    'providers[0].apiKey: after "env:" comes the name of an environment variable, e.g. "env:OPENAI_API_KEY"',
  ],
  ['two providers of one slug', { providers: [local, local] }, 'providers[1].slug: "local" is in providers[0] already'],
  [
    'two models of one id',
    { providers: [local], models: [1, 2].map(() => ({ id: 'a/b', endpoints: [endpoint] })) },
    'models[1].id: "a/b" is in models[0] already',
  ],
  [
    'the name of a model that would change the address of calls',
    {
      providers: [{ slug: 'goo', wire: 'google', baseUrl: 'https://goo.example/v1beta', apiKey: 'k' }],
      models: [{ id: 'a/b', endpoints: [{ provider: 'goo', providerModel: '../x' }] }],
    },
    'models[0].endpoints[0].providerModel: is part of the address of calls to this provider: it cannot contain "..", "?", "#" or empty parts',
  ],
  [
    'a model at an unknown provider',
    { providers: [local], models: [{ id: 'a/b', endpoints: [{ provider: 'locl', providerModel: 'x' }] }] },
    'models[0].endpoints[0].provider: "locl" is not the slug of a configured provider; configured are: "local". Did you mean "local"?',
  ],
  [
    'a rule about an unknown provider',
    { providers: [local], account: { providers: { ignore: ['evil'] } } },
    'account.providers.ignore[0]: "evil" is not a known provider; known are: "local"',
  ],
  [
    'a rule about a misspelt preset',
    { providers: [local], account: { providers: { only: ['local', 'opnai'] } } },
    'account.providers.only[1]: "opnai" is not a known provider; known are: "local". Did you mean "openai"?',
  ],
  [
    'a region that is none of the three',
    { regions: [{ name: 'asia', hosts: ['asia.example'], dataRegion: 'asia' }] },
    'regions[0].dataRegion: must be one of "global", "europe", "us"',
  ],
  [
    'one key twice',
    {
      auth: {
        bootstrapKeys: [
          { key: 'hidden', name: 'a' },
          { key: 'hidden', kind: 'management' },
        ],
      },
    },
    'auth.bootstrapKeys[1].key: is the same key as auth.bootstrapKeys[0].key',
  ],
  [
    'the public demo key',
    { auth: { bootstrapKeys: [{ key: 'sk-gw-v1-demo' }] } },
    'auth.bootstrapKeys[0].key: is the public key of demo mode; choose another',
  ],
  [
    'a proxy that is no address',
    { server: { trustedProxies: ['10.0.0.0/33'] } },
    'server.trustedProxies[0]: must be an IP address or range, e.g. "10.0.0.0/8"',
  ],
  [
    'an origin with a path',
    { server: { allowedOrigins: ['https://a.example/'] } },
    'server.allowedOrigins[0]: must be an origin without a path, e.g. "https://app.example"',
  ],
  [
    'a host of two regions',
    {
      regions: [
        { name: 'eu', hosts: ['eu.example'] },
        { name: 'us', hosts: ['us.example', 'EU.example'] },
      ],
    },
    'regions[1].hosts[1]: "eu.example" is in regions[0].hosts[0] already',
  ],
  [
    'a regional host with a port',
    { regions: [{ name: 'eu', hosts: ['eu.example:8855'] }] },
    'regions[0].hosts[0]: must be a host without port, e.g. "eu.gateway.example"',
  ],
  [
    'a rate limit that limits nothing',
    { rateLimits: [{ requestsPerMinute: 600 }, { key: 'dev' }] },
    'rateLimits[1]: must have requestsPerMinute or tokensPerMinute',
  ],
  [
    'a database of another kind',
    { store: { type: 'postgres', url: 'mysql://gateway:hidden@host/db' } },
    'store.url: must be an address such as postgres://user:password@host:5432/database',
  ],
  [
    'a shared memory of another kind',
    { shared: { type: 'redis', url: 'http://:hidden@host' } },
    'shared.url: must be an address such as redis://:password@host:6379',
  ],
  [
    'fewer connections than a store needs',
    { store: { type: 'postgres', url: 'postgres://host/db', maxConnections: 3 } },
    'store.maxConnections: must be at least 4',
  ],
  [
    'changes told over a Redis that there is not',
    { store: { type: 'postgres', url: 'postgres://host/db', notifications: 'redis' } },
    'store.notifications: redis needs an address: "shared": { "type": "redis", "url": "env:REDIS_URL" }',
  ],
  [
    'an unknown wire',
    { providers: [{ ...local, wire: 'smoke' }] },
    'providers[0].wire: must be one of "openai", "openai-responses", "anthropic", "google", "fal", "replicate", "elevenlabs", "deepgram", "bedrock"',
  ],
  [
    'a query for a wire that has none',
    { providers: [{ ...local, wire: 'anthropic', query: { a: 'b' } }] },
    'providers[0].query: is not for the wire "anthropic"; remove it',
  ],
  [
    'an address by model for a wire that has none',
    { providers: [{ ...local, wire: 'google', baseUrl: 'http://x/{model}' }] },
    'providers[0].baseUrl: "{model}" is not supported by the wire "google"',
  ],
  [
    'a secret that could be guessed',
    { webhooks: { signingSecret: 'hidden-and-short' } },
    'webhooks.signingSecret: must be at least 24 characters',
  ],
  [
    'a sender of mails that is no address',
    { mail: { host: 'smtp.example', from: 'Gateway' } },
    'mail.from: must be an address, or a name and <an address>',
  ],
  [
    'a default callback address in plain http',
    { webhooks: { defaultCallbackUrl: 'http://hooks.example/' } },
    'webhooks.defaultCallbackUrl: must begin with https://',
  ],
  [
    'a default callback address in plain http, also on a private network',
    { webhooks: { defaultCallbackUrl: 'http://127.0.0.1:8080/', allowPrivateNetwork: true } },
    'webhooks.defaultCallbackUrl: must begin with https://',
  ],
  [
    'a default callback address on this machine',
    { webhooks: { defaultCallbackUrl: 'https://127.0.0.1:8080/' } },
    'webhooks.defaultCallbackUrl: must lead to a public address',
  ],
  [
    'a provider that has no common address',
    { providers: [{ slug: 'a', preset: 'azure', apiKey: 'k' }] },
    'providers[0].baseUrl: is missing, and AZURE_OPENAI_ENDPOINT is not set to an address. Every customer of Azure has one of their own: "https://RESOURCE.openai.azure.com/openai/v1"',
  ],
  [
    'the search for models where there is no list',
    { providers: [{ slug: 'a', preset: 'perplexity', apiKey: 'k', discoverModels: true }] },
    'providers[0].discoverModels: must be false: Perplexity does not list its models. Name them in models',
  ],
])('%s is refused, with the field and the fix', (_name, config, issue) => {
  const issues = refused(config);
  expect(issues).toEqual([issue]);
  expect(issues.join()).not.toContain('hidden');
});

const builtInModels = [
  {
    id: 'acme/large',
    name: 'Large',
    endpoints: [
      { provider: 'groq', providerModel: 'large-1', pricing: { prompt: '1', completion: '2' } },
      { provider: 'xai', providerModel: 'large-x' },
    ],
  },
  { id: 'acme/small', endpoints: [{ provider: 'groq', providerModel: 'small-1' }] },
  { id: 'acme/other', endpoints: [{ provider: 'xai', providerModel: 'other-1' }] },
];

test('built-in models are served by the providers of their presets, and what the file says is laid over them', () => {
  const mine = { slug: 'mine', preset: 'groq', apiKey: 'k' };
  const config = load(
    { providers: [mine, local], models: [{ id: 'acme/small', name: 'Ours', endpoints: [endpoint] }] },
    { builtInModels },
  );
  expect(config.models).toEqual([
    { id: 'acme/small', name: 'Ours', endpoints: [{ provider: 'mine', providerModel: 'small-1' }, endpoint] },
    {
      id: 'acme/large',
      name: 'Large',
      endpoints: [{ provider: 'mine', providerModel: 'large-1', pricing: { prompt: '1', completion: '2' } }],
    },
  ]);
  expect(config.warnings).toEqual([]);
  expect(load({ providers: [mine] }).models).toEqual([]);
});

test('built-in models are served by the providers of the environment', () => {
  const { models } = loadConfig({ env: { XAI_API_KEY: 'k' }, presets: PRESETS, builtInModels });
  expect(models.map(({ id }) => id)).toEqual(['acme/large', 'acme/other']);
  expect(loadConfig({ env: {}, presets: PRESETS, builtInModels }).models).toEqual([]);
});

test('a model that leaves out what is not built in is refused', () => {
  const models = [
    { id: 'acme/large' },
    { id: 'acme/other' },
    { id: 'acme/small', endpoints: [{ provider: 'mine' }, { provider: 'local' }] },
  ];
  const mine = { slug: 'mine', preset: 'groq', apiKey: 'k' };
  expect(refused({ providers: [mine, local], models }, { builtInModels })).toEqual([
    'models[1].endpoints: is missing, and no configured provider serves "acme/other" by itself: name its endpoints',
    "models[2].endpoints[1].providerModel: is missing, and this is not built in: give the provider's own name of the model",
  ]);
});

test('a preset that is not there yet is refused with those that are', () => {
  expect(refused({ providers: [{ slug: 'x', preset: 'openay' }] })).toEqual([
    expect.stringMatching(/^providers\[0\]\.preset: "openay" is not available .*"openai".*Did you mean "openai"\?$/),
  ]);
});

test('an embedder without presets gets an error that says so', () => {
  expect(refused({ providers: [{ slug: 'x', preset: 'openai' }] }, { presets: {} })).toEqual([
    expect.stringMatching(/^providers\[0\]\.preset: no presets were given to loadConfig/),
  ]);
});

test('origins of pages, extensions and desktop shells can be allowed', () => {
  const allowedOrigins = ['https://App.example:8443', 'chrome-extension://abcdef', 'app://shell'];
  expect(load({ server: { allowedOrigins } }).server.allowedOrigins).toEqual(allowedOrigins);
});

test('all errors are reported at once, those between sections and those in broken entries included', () => {
  const issues = refused({
    servr: {},
    timeouts: { idleMs: 0 },
    providers: [{ ...local, region: 1 }, { ...local, slug: 'b', apiKey: 'env:NOT_THERE' }, { slug: 'c' }],
    models: [
      { id: 'no-author', endpoints: [] },
      { id: 'a/b', endpoints: [endpoint, { ...endpoint, provider: 'nobody' }] },
    ],
  });
  expect(issues.map((issue) => issue.split(': ')[0]).toSorted()).toEqual([
    'models[0].endpoints',
    'models[0].id',
    'models[1].endpoints[1].provider',
    'providers[0].region',
    'providers[1].apiKey',
    'providers[2]',
    'servr',
    'timeouts.idleMs',
  ]);
});

test('a file that is not JSON is refused with the line and column, and nothing of it is shown', () => {
  expect(refused('{\n  "providers": [\n    { "apiKey": "hidden", }\n  ]\n}')).toEqual([
    'line 3, column 25: a comma before "}" is not allowed',
  ]);
  expect(refused('\uFEFF{\n // hidden\n}')).toEqual(['line 2, column 2: comments are not allowed in JSON']);
  expect(refused('[]')).toEqual(['must be an object: { … }, but is a list']);
});

test('a file that is not there is refused by its path', () => {
  const missing = join(folder, 'missing.json');
  expect(() => loadConfig({ file: missing, env: {} })).toThrow(`${missing} has an error:\n  there is no such file`);
  expect(() => loadConfig({ file: folder, env: {} })).toThrow('reading it failed (EISDIR)');
});

test('sends calls of the Responses form on in it to OpenAI and Azure, but to no other server at their place', () => {
  const at = 'https://proxy.example/v1';
  const azure = { slug: 'azure', preset: 'azure', apiKey: 'k', baseUrl: 'https://r.openai.azure.com/openai/v1' };
  const byDeployment = 'https://r.openai.azure.com/openai/deployments/{model}';
  const { providers } = load({
    providers: [
      { slug: 'openai', preset: 'openai', apiKey: 'k' },
      azure,
      { ...azure, slug: 'azure-by-deployment', baseUrl: byDeployment },
      { slug: 'proxy', preset: 'openai', apiKey: 'k', baseUrl: at },
      { slug: 'proxy-that-has', preset: 'openai', apiKey: 'k', baseUrl: at, responses: true },
      { slug: 'openai-without', preset: 'openai', apiKey: 'k', responses: false },
      { slug: 'groq', preset: 'groq', apiKey: 'k' },
      local,
      { ...local, slug: 'local-that-has', responses: true },
      { slug: 'own', wire: 'openai-responses', baseUrl: at, query: { v: '1' } },
    ],
  });
  expect(Object.fromEntries(providers.map(({ slug, responses }) => [slug, responses]))).toEqual({
    openai: true,
    azure: true,
    'azure-by-deployment': false,
    proxy: false,
    'proxy-that-has': true,
    'openai-without': false,
    groq: false,
    local: false,
    'local-that-has': true,
    own: false,
  });
  expect(refused({ providers: [{ slug: 'a', preset: 'anthropic', apiKey: 'k', responses: true }] })).toEqual([
    'providers[0].responses: is not for the wire "anthropic"; remove it',
  ]);
});
