import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openSecretBox } from '@model-gateway/node';
import { expect, onTestFinished, test } from 'vitest';

import { openSealingBox } from '../../desktop/src/gateway/sealing-box.ts';
import { openSealingKey, type Sealer } from '../../desktop/src/main/settings/sealing-key.ts';

/** A keyring that can be locked. */
function createKeyring() {
  let isLocked = false;
  const keyring: Sealer = {
    seal: (text) => Promise.resolve(Buffer.from(`sealed ${text}`).toString('base64')),
    unseal(sealed) {
      if (isLocked) return Promise.reject(new Error('locked'));
      return Promise.resolve(Buffer.from(sealed, 'base64').toString().replace('sealed ', ''));
    },
  };
  return { keyring, lock: () => void (isLocked = true), unlock: () => void (isLocked = false) };
}

function createPlace() {
  const dataDir = mkdtempSync(join(tmpdir(), 'sealing-key-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  let sealed: string | null = null;
  const kept = { read: () => sealed, write: (made: string) => void (sealed = made) };
  const file = join(dataDir, 'secrets.key');
  const boxWith = (secretsKey: string | null, environmentKey?: string) =>
    openSealingBox({ secretsKey, environmentKey, dataDir });
  return { dataDir, kept, file, boxWith, sealed: () => sealed };
}

test('the keyring holds the key, which no file has in the open', async () => {
  const { dataDir, kept, file, boxWith, sealed } = createPlace();
  const { keyring } = createKeyring();
  const key = await openSealingKey({ keyring, kept, dataDir });
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(sealed()).not.toContain(key);
  const secret = await boxWith(key).seal('sk-1', 'provider acme');
  expect(existsSync(file)).toBe(false);
  expect(await openSealingKey({ keyring, kept, dataDir })).toBe(key);
  expect(await boxWith(key).open(secret, 'provider acme')).toBe('sk-1');
});

test('without a keyring that protects anything, a file that only its owner can read holds it', async () => {
  const { dataDir, kept, file, boxWith, sealed } = createPlace();
  const key = await openSealingKey({ keyring: null, kept, dataDir });
  expect([key, sealed()]).toEqual([null, null]);
  const secret = await boxWith(key).seal('sk-1', 'provider acme');
  expect(existsSync(file)).toBe(true);
  expect(await boxWith(null).open(secret, 'provider acme')).toBe('sk-1');
});

test('a key that lay in a file moves into the keyring, and what it has sealed stays readable', async () => {
  const { dataDir, kept, file, boxWith } = createPlace();
  const secret = await openSecretBox({ dir: dataDir }).seal('sk-1', 'provider acme');
  const before = readFileSync(file, 'latin1').trim();
  const key = await openSealingKey({ keyring: createKeyring().keyring, kept, dataDir });
  expect(key).toBe(before);
  expect(existsSync(file)).toBe(false);
  expect(await boxWith(key).open(secret, 'provider acme')).toBe('sk-1');
});

test('while the keyring is locked a file seals, and what it sealed can be read afterwards', async () => {
  const { dataDir, kept, boxWith } = createPlace();
  const { keyring, lock, unlock } = createKeyring();
  await openSealingKey({ keyring, kept, dataDir });
  lock();
  expect(await openSealingKey({ keyring, kept, dataDir })).toBeNull();
  const secret = await boxWith(null).seal('sk-2', 'provider beta');
  unlock();
  const key = await openSealingKey({ keyring, kept, dataDir });
  expect(key).not.toBeNull();
  expect(await boxWith(key).open(secret, 'provider beta')).toBe('sk-2');
});

test('a file in another form stays where it is', async () => {
  const { dataDir, kept, file } = createPlace();
  writeFileSync(file, Buffer.alloc(32, 7).toString('base64'));
  expect(await openSealingKey({ keyring: createKeyring().keyring, kept, dataDir })).toBeNull();
  expect(existsSync(file)).toBe(true);
});

test('a key of the environment goes before that of the keyring', async () => {
  const { dataDir, kept, boxWith } = createPlace();
  const key = await openSealingKey({ keyring: createKeyring().keyring, kept, dataDir });
  const environmentKey = 'ab'.repeat(32);
  const secret = await boxWith(key, environmentKey).seal('sk-3', 'provider acme');
  expect(await openSecretBox({ environmentKey, dir: null }).open(secret, 'provider acme')).toBe('sk-3');
});
