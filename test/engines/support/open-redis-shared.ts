import { createRedisShared, type RedisShared, type RedisSharedOptions } from '@model-gateway/redis';
import { createClient } from '@redis/client';
import { expect, onTestFinished } from 'vitest';

import { eventually } from './eventually.ts';
import { createTestLogger } from './test-logger.ts';

const UP_LIMIT_MS = 30_000;
/** How many of this process listen, by the address and the prefix. */
const listening = new Map<string, number>();

/** What an instance shares by Redis, once that is up and hears what others say. It closes when the test has ended. */
export async function openRedisShared(options: Omit<RedisSharedOptions, 'logger'>): Promise<RedisShared> {
  const { logger } = createTestLogger();
  const shared = createRedisShared({ ...options, logger });
  const { url, prefix = 'gateway' } = options;
  const place = `${url} ${prefix}`;
  const count = (listening.get(place) ?? 0) + 1;
  listening.set(place, count);
  onTestFinished(async () => {
    listening.set(place, (listening.get(place) ?? 0) - 1);
    await shared.close();
  });
  await shared.waitUntilUp(UP_LIMIT_MS);
  // It subscribes on a connection of its own, and what is said before that it never hears.
  const database = new URL(url).pathname.slice(1) || '0';
  const channel = `${prefix}:${database}:channel`;
  const client = await createClient({ url }).connect();
  await eventually(async () =>
    expect(Number((await client.pubSubNumSub(channel))[channel])).toBeGreaterThanOrEqual(count),
  );
  await client.close();
  return shared;
}
