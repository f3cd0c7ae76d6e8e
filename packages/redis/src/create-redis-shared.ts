import type { CreateRateCounter, Logger, SharedCallCounts, SharedParts, TakeLease } from '@model-gateway/core';

import { createCallCounts } from './call-counts.ts';
import { openChannels } from './channels.ts';
import { parseRedisUrl } from './connection/parse-redis-url.ts';
import { openRedisLink } from './connection/redis-link.ts';
import { createPlaceLeases } from './place-leases.ts';
import { createRateCounters } from './rate-counters.ts';
import { createRedisResponseCache } from './response-cache.ts';

export interface RedisSharedOptions {
  /** `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. */
  readonly url: string;
  /** What messages call the URL: where it is set. Default `url`. */
  readonly urlName?: string | undefined;
  readonly logger: Logger;
  /** Rate limits while Redis is away: counted by each process for itself, or calls with a limit are refused (503). */
  readonly whenDown: 'open' | 'closed';
  /** Begins the name of every key and channel. Default `gateway`. */
  readonly prefix?: string | undefined;
  /** Bytes of stored completions, beyond which those that end first are removed. Default 256 MB. */
  readonly maxCacheBytes?: number | undefined;
}

/** What the processes of a gateway count and know together, in Redis. No call waits for it for longer than 0.1 s. */
export interface RedisShared {
  /** For `rateLimits.createCounter`. The same function for its whole life, so that a reload keeps the counts. */
  readonly createRateCounter: CreateRateCounter;
  /** For `callLimits.takeLease`. The same function for its whole life. */
  readonly takeLease: TakeLease;
  /** For `callLimits.sharedCounts`. */
  readonly callCounts: SharedCallCounts;
  /** For `GatewayOptions.shared`. */
  readonly parts: SharedParts;
  /** Resolves when Redis takes commands, or after `limitMs`. Calls do not need it: they count as if Redis were away. */
  waitUntilUp(limitMs: number): Promise<void>;
  /** Resolves when no connection is open any more; without Redis, too. */
  close(): Promise<void>;
}

const PROOF_TTL_MS = 10_000;

/**
 * Connects in the background, for ever, and logs when Redis goes away and comes back. Throws a `RedisUrlError` for
 * a URL that is none of Redis, without showing it.
 */
export function createRedisShared(options: RedisSharedOptions): RedisShared {
  const { logger, whenDown, prefix = 'gateway', maxCacheBytes } = options;
  const address = parseRedisUrl(options.url, options.urlName);
  const link = openRedisLink({
    address,
    logger,
    purpose: 'rate limits and stored completions',
    // A write: a replica, or a Redis without memory left, responds to all else.
    prove: (client) => client.set(`${prefix}:proof`, '1', { expiration: { type: 'PX', value: PROOF_TTL_MS } }),
  });
  const places = createPlaceLeases({ link, prefix, whenDown });
  const callCounts = createCallCounts({ link, prefix });
  const channels = openChannels({ address, logger, link, prefix });
  return {
    createRateCounter: createRateCounters({ link, prefix, whenDown }),
    takeLease: places.take,
    callCounts,
    parts: {
      responseCache: createRedisResponseCache({ link, prefix, maxBytes: maxCacheBytes }),
      openChannel: channels.open,
      engine: { type: 'redis', address: address.place, outage: link.outage },
    },
    waitUntilUp: (limitMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, limitMs);
        link.onUp(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
    async close() {
      places.close();
      await callCounts.close();
      await Promise.all([link.close(), channels.close()]);
    },
  };
}
