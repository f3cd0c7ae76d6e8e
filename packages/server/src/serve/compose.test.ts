import { once } from 'node:events';
import net from 'node:net';

import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { loadConfig } from '@model-gateway/node';
import { expect, onTestFinished, test } from 'vitest';

import { writeTestConfig } from '../../../../test/support/gateways/write-test-config.ts';
import { compose } from './compose.ts';

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

test('a composition that fails leaves no connection open', async () => {
  const open = new Set<net.Socket>();
  let connections = 0;
  const redis = net.createServer((socket) => {
    connections += 1;
    open.add(
      socket
        .on('error', () => undefined)
        .on('close', () => open.delete(socket))
        .resume(),
    );
  });
  redis.listen(0, '127.0.0.1');
  await once(redis, 'listening');
  onTestFinished(() => void redis.close());
  const { port } = redis.address() as net.AddressInfo;
  const shared = { type: 'redis', url: `redis://127.0.0.1:${port}` };
  const config = loadConfig({ file: writeTestConfig({ providers: [], store: { type: 'memory' }, shared }), env: {} });
  const memory = createMemoryStore();
  const store = {
    ...memory,
    providers: { ...memory.providers, list: () => Promise.reject(new Error('no providers')) },
  };
  const composed = compose({ config, store, logger, extraKeys: [], demoFixturesDir: null });
  await expect(composed).rejects.toThrow('no providers');
  expect(connections).toBeGreaterThan(0);
  await expect.poll(() => open.size).toBe(0);
});

test.each([true, false])('it knows what was set up where its store can be read: %s', async (isReady) => {
  const store = { ...createMemoryStore(), readiness: () => ({ isReady, reason: 'the database is away' }) };
  const config = loadConfig({ file: writeTestConfig({ providers: [], store: { type: 'memory' } }), env: {} });
  const { gateway, isSetUp } = await compose({ config, store, logger, extraKeys: [], demoFixturesDir: null });
  onTestFinished(() => gateway.close());
  expect(isSetUp).toBe(isReady);
});
