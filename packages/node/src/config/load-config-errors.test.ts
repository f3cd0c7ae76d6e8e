import { join } from 'node:path';

import { PRESETS } from '@model-gateway/core/providers/presets';
import { expect, test } from 'vitest';

import { createConfigFolder, endpoint, local } from '../../../../test/support/config/config-folder.ts';
import { loadConfig } from './load-config.ts';

const { folder, load, refused } = createConfigFolder();

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

const MISTAKEN = `{
  "server": { "host": "::1",
    "prot": 1 },
  "providers": [
    { "slug": "a", "wire": "openai", "baseUrl": "http://127.0.0.1/v1",
      "headers": {
        "a.b": "c",
        "a b": "c" } },

    { "wire": "openai", "baseUrl": "http://127.0.0.1/v1" }
  ],
  "timeouts": {}
}`;

test('each error names the line of its field, or that of the entry where the field is missing', () => {
  expect(() => load(MISTAKEN)).toThrow(
    [
      'server.prot: is not a known field. Did you mean "port"? (line 3)',
      'providers[0].headers.a b: is not a valid name of an HTTP header (line 8)',
      'providers[1].slug: is missing; give text in double quotes (line 10)',
    ].join('\n  '),
  );
});

test('an error of the file as a whole, and one of a section that is not there, name no line', () => {
  expect(() => load('[]')).toThrow(/: \{ … \}, but is a list$/);
  expect(() => load({ store: { type: 'postgres', url: 'postgres://h/d', notifications: 'redis' } })).toThrow(
    /"env:REDIS_URL" \} \(line 1\)$/,
  );
});

test('a name that stands twice is a warning with both lines, because the first is overridden', () => {
  const { warnings, server } = load(
    '{\n"server": { "port": 1,\n"port": 2 },\n"server": { "host": "::1" },\n"server": {\n"port": 3, "port":\n4 } }',
  );
  expect(server.port).toBe(4);
  expect(warnings).toEqual([
    'server is given 3 times, in lines 2, 4 and 5; the last one is used',
    'server.port is given 2 times, in lines 6 and 6; the last one is used',
  ]);
});

test('a file that is not there is refused by its path', () => {
  const missing = join(folder, 'missing.json');
  expect(() => loadConfig({ file: missing, env: {} })).toThrow(`${missing} has an error:\n  there is no such file`);
  expect(() => loadConfig({ file: folder, env: {} })).toThrow('reading it failed (EISDIR)');
});
