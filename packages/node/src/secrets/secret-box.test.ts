import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { openSecretBox, SecretsKeyError } from './secret-box.ts';

const KEY = Buffer.alloc(32, 7);
const OTHER = Buffer.alloc(32, 8);

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-secrets-'));
});
afterEach(() => rm(dir, { recursive: true }));

const fromEnvironment = (key: string) => openSecretBox({ environmentKey: key, dir });
const keyFile = (): string => join(dir, 'secrets.key');

test.each([
  ['base64', KEY.toString('base64')],
  ['base64 for addresses', KEY.toString('base64url')],
  ['hex', KEY.toString('hex')],
  ['hex in capitals, with a line break', `${KEY.toString('hex').toUpperCase()}\n`],
])('takes a key of the environment in %s, and makes no file', async (_, key) => {
  const sealed = await fromEnvironment(key).seal('sk-secret', 'provider:acme');
  expect(sealed).not.toContain('sk-secret');
  expect(await fromEnvironment(KEY.toString('hex')).open(sealed, 'provider:acme')).toBe('sk-secret');
  expect(await readdir(dir)).toEqual([]);
});

test.each(['short', 'g'.repeat(64), KEY.subarray(1).toString('base64'), Buffer.alloc(33).toString('base64')])(
  'refuses %j as a key at once, and does not repeat it',
  (key) => {
    expect(() => fromEnvironment(key)).toThrow(SecretsKeyError);
    expect(() => fromEnvironment(key)).toThrow(
      /^GATEWAY_SECRETS_KEY must be 32 random bytes in base64 or hex, as `openssl rand -base64 32` prints them$/,
    );
  },
);

test('makes its own key at the first seal, once, in a file of its owner alone', async () => {
  const box = openSecretBox({ dir });
  expect(await readdir(dir)).toEqual([]);
  const [first, second] = await Promise.all([box.seal('one', 'a'), box.seal('two', 'b')]);
  expect(await readdir(dir)).toEqual(['secrets.key']);
  expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
  const later = openSecretBox({ dir });
  expect([await later.open(first, 'a'), await later.open(second, 'b')]).toEqual(['one', 'two']);
});

test('seals the same text in another form each time', async () => {
  const box = openSecretBox({ dir });
  expect(await box.seal('one', 'a')).not.toBe(await box.seal('one', 'a'));
});

test('does not open what was sealed for another provider', async () => {
  const box = openSecretBox({ dir });
  const sealed = await box.seal('sk-secret', 'provider:acme');
  await expect(box.open(sealed, 'provider:beta')).rejects.toThrow('was changed, or belongs to something else');
});

test('does not open what was changed by a single character, wherever', async () => {
  const box = fromEnvironment(KEY.toString('hex'));
  const sealed = await box.seal('sk-secret', 'a');
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
    await expect(box.open(changed, 'a'), `at ${at}`).rejects.toThrow(SecretsKeyError);
  }
  for (const broken of ['', 'v1', 'v1...', sealed.slice(0, -20), `${sealed}AAAA`]) {
    await expect(box.open(broken, 'a'), broken).rejects.toThrow(SecretsKeyError);
  }
});

test('says of what another key has sealed which key that was', async () => {
  const sealed = await fromEnvironment(KEY.toString('hex')).seal('sk-secret', 'a');
  await expect(fromEnvironment(OTHER.toString('hex')).open(sealed, 'a')).rejects.toThrow(
    /^it was sealed with another key \([0-9a-f]{8}\) than the one of GATEWAY_SECRETS_KEY \([0-9a-f]{8}\)$/,
  );
  await expect(openSecretBox({ dir }).open(sealed, 'a')).rejects.toThrow(/there is no .*secrets\.key/);
  expect(await readdir(dir)).toEqual([]);
});

test('opens again what was sealed before once its file is back', async () => {
  const sealed = await openSecretBox({ dir }).seal('sk-secret', 'a');
  await rename(keyFile(), join(dir, 'away'));
  const box = openSecretBox({ dir });
  await expect(box.open(sealed, 'a')).rejects.toThrow(SecretsKeyError);
  await rename(join(dir, 'away'), keyFile());
  expect(await box.open(sealed, 'a')).toBe('sk-secret');
});

test('neither uses nor replaces a key file that holds no key', async () => {
  await writeFile(keyFile(), 'garbage');
  const box = openSecretBox({ dir });
  await expect(box.seal('one', 'a')).rejects.toThrow(/secrets\.key holds no key/);
  await expect(box.open('v1.0.0.0', 'a')).rejects.toThrow(SecretsKeyError);
  expect(await readFile(keyFile(), 'utf8')).toBe('garbage');
});

test('closes a key file that others could read', async () => {
  await writeFile(keyFile(), KEY.toString('hex'), { mode: 0o644 });
  await openSecretBox({ dir }).seal('one', 'a');
  expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
});

test('has a key in memory alone where there is neither a directory nor a variable', async () => {
  const box = openSecretBox({ dir: null });
  expect(await box.open(await box.seal('one', 'a'), 'a')).toBe('one');
  await expect(openSecretBox({ dir: null }).open(await box.seal('one', 'a'), 'a')).rejects.toThrow(SecretsKeyError);
});
