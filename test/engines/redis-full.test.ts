import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { CachedCompletion } from '@model-gateway/core';
import { createClient } from '@redis/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

import { missingRedis } from './support/engines.ts';
import { openRedisShared } from './support/open-redis-shared.ts';
import { startOwnRedis } from './support/own-servers.ts';

const MB = 1024 ** 2;
/** Of all sizes, so that a test fills a Redis in seconds. */
const SCALE = 8;
/** As of the gateway, where nothing else is said. */
const CACHE_BYTES = 256 * MB;

/** The settings of the example for Docker Compose, with an eighth of its memory. */
async function openExample() {
  const file = fileURLToPath(new URL('../../examples/compose/compose.yaml', import.meta.url));
  const { services } = parse(readFileSync(file, 'utf8')) as { services: { redis: { command: string } } };
  const { command } = services.redis;
  const [, policy = ''] = /--maxmemory-policy (\S+)/.exec(command) ?? [];
  const [, megabytes = ''] = /--maxmemory (\d+)mb/.exec(command) ?? [];
  const maxBytes = Math.floor((Number(megabytes) * MB) / SCALE);
  const server = await startOwnRedis(['--maxmemory', String(maxBytes), '--maxmemory-policy', policy]);
  const client = await createClient({ url: server.url }).connect();
  onTestFinished(() => client.destroy());
  const open = (whenDown: 'open' | 'closed' = 'closed') =>
    openRedisShared({ url: server.url, whenDown, prefix: 'example', maxCacheBytes: CACHE_BYTES / SCALE });
  const evicted = async (): Promise<number> => Number(/evicted_keys:(\d+)/.exec(await client.info('stats'))?.[1]);
  return { client, open, evicted };
}

const completion = (text: string): CachedCompletion => ({
  sourceId: 'gen-1-source',
  endpoint: 'acme',
  ttlMs: 3_600_000,
  batches: text,
});

describe.skipIf(missingRedis)('A Redis with the settings of the Compose example', () => {
  test('keeps every count while the response cache takes all that it may', async () => {
    const { client, open, evicted } = await openExample();
    const [one, other] = [await open(), await open()];
    const limit = { name: 'r', limitPerMinute: 10 };
    const counter = one.createRateCounter(limit);
    for (let call = 0; call < 10; call += 1) expect((await counter.take('k')).isExceeded).toBe(false);

    const size = 512 * 1024;
    const count = Math.ceil((1.5 * CACHE_BYTES) / SCALE / size);
    const cache = one.parts.responseCache;
    for (let index = 0; index < count; index += 1) {
      const key = `key-${index}`;
      cache?.store(key, completion('x'.repeat(size)));
      await expect.poll(async () => (await cache?.find(key)) !== undefined, { interval: 5 }).toBe(true);
    }
    expect(await cache?.find('key-0')).toBeUndefined();
    expect(await evicted()).toBe(0);
    expect(await client.keys('example:rate:*')).toHaveLength(1);
    // Another instance reads it from there.
    expect((await other.createRateCounter(limit).take('k')).isExceeded).toBe(true);
  });

  test('keeps every count when it is full, and limits hold as where it is away', async () => {
    const { client, open, evicted } = await openExample();
    const limit = { name: 'r', limitPerMinute: 10 };
    const [closed, opened] = [await open('closed'), await open('open')];
    const counter = closed.createRateCounter(limit);
    for (let call = 0; call < 6; call += 1) await counter.take('k');

    const fill = async (): Promise<void> => {
      for (let index = 0; ; index += 1) await client.set(`other:${index}`, 'x'.repeat(MB));
    };
    await expect(fill()).rejects.toThrow(/OOM/);
    // No write fits any more, however little it needs.
    await client.configSet('maxmemory', String(16 * MB));
    const ownCounter = opened.createRateCounter(limit);
    // It counts by itself meanwhile, to its own ten.
    const windows = [];
    for (let call = 0; call < 11; call += 1) windows.push(await ownCounter.take('k'));
    expect(windows.filter(({ isExceeded }) => !isExceeded).length).toBeLessThanOrEqual(10);
    expect(windows.at(-1)?.isExceeded).toBe(true);
    await expect(closed.createRateCounter(limit).take('new')).rejects.toMatchObject({ code: 'provider_overloaded' });
    expect(await evicted()).toBe(0);
    expect(await client.keys('example:rate:*')).toHaveLength(1);

    await client.sendCommand([
      'EVAL',
      "for _, k in ipairs(redis.call('keys', 'other:*')) do redis.call('del', k) end",
      '0',
    ]);
    // What was counted before is still there: four are left.
    const later = closed.createRateCounter(limit);
    await expect.poll(async () => (await later.take('probe').catch(() => undefined))?.isExceeded).toBe(false);
    let admitted = 0;
    for (let call = 0; call < 6; call += 1) if (!(await later.take('k')).isExceeded) admitted += 1;
    expect(admitted).toBe(4);
  });
});
