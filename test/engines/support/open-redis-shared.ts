import { createRedisShared, type RedisShared, type RedisSharedOptions } from '@model-gateway/redis';
import { onTestFinished } from 'vitest';

import { createTestLogger } from './test-logger.ts';

/** What an instance shares by Redis, once that is up. It closes when the test has ended. */
export async function openRedisShared(options: Omit<RedisSharedOptions, 'logger'>): Promise<RedisShared> {
  const { logger } = createTestLogger();
  const shared = createRedisShared({ ...options, logger });
  onTestFinished(() => shared.close());
  await shared.waitUntilUp(5000);
  return shared;
}
