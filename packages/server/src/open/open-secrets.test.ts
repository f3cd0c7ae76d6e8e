import { loadConfig } from '@model-gateway/node';
import { expect, test } from 'vitest';

import { createRedactor } from '../process/logger.ts';
import { listSecrets, openSecrets } from './open-secrets.ts';
import { describeAddress } from './open-store.ts';

test('the addresses of engines are secrets, and so are their passwords as they stand there and as they are meant', () => {
  const config = loadConfig({ env: {} });
  const secrets = listSecrets({
    ...config,
    store: {
      type: 'postgres',
      url: 'postgres://me:pa%24%24word-12@db:5432/x?sslmode=require',
      whenDown: 'refuse',
      maxConnections: 10,
      notifications: 'listen',
      dir: '/data',
    },
    shared: { type: 'redis', url: 'redis://:redis-word-12@cache', whenDown: 'open' },
  });
  const redact = createRedactor(secrets);
  for (const text of ['pa%24%24word-12', 'pa$$word-12', 'redis-word-12']) {
    expect(redact(`connect ${text} failed`)).toBe('connect [redacted] failed');
  }
});

test.each([
  ['postgres://me:secret@db:5432/x?sslmode=require', 'postgres://db:5432/x'],
  ['postgresql://db/x', 'postgres://db/x'],
  ['postgres://me@[::1]:5432/x', 'postgres://[::1]:5432/x'],
])('the address %s is shown without user, password and options', (url, shown) => {
  expect(describeAddress(url)).toBe(shown);
});

const DATABASE = {
  store: {
    type: 'postgres',
    url: 'postgres://db/x',
    whenDown: 'refuse',
    maxConnections: 10,
    notifications: 'listen',
    dir: '/nowhere',
  },
} as const;
const KEY = Buffer.alloc(32, 7).toString('base64');

test('processes that share a database seal with the key of the environment', async () => {
  const [one, other] = [
    openSecrets(DATABASE, { GATEWAY_SECRETS_KEY: KEY }),
    openSecrets(DATABASE, { GATEWAY_SECRETS_KEY: KEY }),
  ];
  expect(await other.open(await one.seal('sk-secret', 'provider:acme'), 'provider:acme')).toBe('sk-secret');
});

test.each([undefined, ' '])('without one they keep no key, and say what to set', async (key) => {
  const box = openSecrets(DATABASE, { GATEWAY_SECRETS_KEY: key });
  await expect(box.seal('sk-secret', 'provider:acme')).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('set GATEWAY_SECRETS_KEY') as string,
  });
  await expect(box.open('v1.a.b.c', 'provider:acme')).rejects.toThrow('GATEWAY_SECRETS_KEY is not set');
});
