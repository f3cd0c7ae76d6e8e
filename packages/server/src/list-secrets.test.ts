import { loadConfig } from '@model-gateway/node';
import { expect, test } from 'vitest';

import { listSecrets } from './list-secrets.ts';
import { createRedactor } from './logger.ts';
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
