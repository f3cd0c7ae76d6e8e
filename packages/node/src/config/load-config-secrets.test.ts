import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { createConfigFolder, local } from '../../../../test/support/config/config-folder.ts';

const { folder, load, refused } = createConfigFolder();

test('of two variables of one key the first wins', () => {
  const env = { GEMINI_API_KEY: 'first', GOOGLE_API_KEY: 'second' };
  expect(load({ providers: [{ slug: 'g', preset: 'google' }] }, { env }).providers[0]?.apiKey).toBe('first');
});

test('the key of a preset is not sent to an address that replaces its own', () => {
  const { providers } = load(
    { providers: [{ slug: 'proxy', preset: 'openai', baseUrl: 'https://proxy.example/v1' }] },
    { env: { OPENAI_API_KEY: 'key-of-the-variable' } },
  );
  expect(providers[0]?.apiKey).toBeUndefined();
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
