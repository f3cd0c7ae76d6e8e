import type { Logger } from '@model-gateway/core';
import type { GatewayConfig } from '@model-gateway/node';
// Types alone: the package is loaded where there is a Redis.
import type { RedisShared } from '@model-gateway/redis';

/** A gateway starts without a Redis that is away for longer. */
const START_LIMIT_MS = 1000;

/** Connects to what the processes of a gateway count together. Undefined where this one counts alone. */
export async function openShared({ shared }: GatewayConfig, logger: Logger): Promise<RedisShared | undefined> {
  if (shared.type === 'memory') return undefined;
  const { createRedisShared } = await import('@model-gateway/redis');
  const opened = createRedisShared({ url: shared.url, urlName: 'shared.url', whenDown: shared.whenDown, logger });
  await opened.waitUntilUp(START_LIMIT_MS);
  return opened;
}
