import type { ChangeNotifier, CreateRateCounter, Logger, SharedParts } from '@model-gateway/core';

export interface RedisSharedOptions {
  /** `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. */
  readonly url: string;
  readonly logger: Logger;
  /** Rate limits while Redis is away: counted by each process for itself, or calls with a limit are refused (503). */
  readonly whenDown: 'open' | 'closed';
  /** Begins the name of every key and channel. Default `gateway`. */
  readonly prefix?: string | undefined;
}

/** What the processes of a gateway count and know together, in Redis. Nothing of it is ever waited for for long. */
export interface RedisShared {
  /** For `rateLimits.createCounter`. The same function for its whole life, so that a reload keeps the counts. */
  readonly createRateCounter: CreateRateCounter;
  /** For `GatewayOptions.shared`. */
  readonly parts: SharedParts;
  /** For a store whose engine cannot tell other processes of changes. */
  readonly changes: ChangeNotifier;
  /** Resolves when no connection is open any more; without Redis, too. */
  close(): Promise<void>;
}

/**
 * Connects in the background, for ever, and logs when Redis goes away and comes back. Throws `RangeError` for a URL that
 * is none of Redis, without showing its password.
 */
export function createRedisShared(_options: RedisSharedOptions): RedisShared {
  throw new Error('not there yet');
}
