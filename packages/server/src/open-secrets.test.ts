import { expect, test } from 'vitest';

import { openSecrets } from './open-secrets.ts';

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
