import { randomUUID } from 'node:crypto';

import { GatewayError, type PlaceLease, type TakeLease } from '@model-gateway/core';

import type { RedisClient, RedisLink } from './connection/redis-link.ts';
import { runScript, toScript } from './run-script.ts';

export interface PlaceLeaseParts {
  readonly link: RedisLink;
  readonly prefix: string;
  /** While Redis is away each process counts for itself, or calls with a limit are refused. */
  readonly whenDown: 'open' | 'closed';
}

export interface PlaceLeases {
  readonly take: TakeLease;
  /** Renews nothing any more. */
  close(): void;
}

/** The places of a process that was killed come back within this time. */
const LEASE_MS = 15_000;
const RENEW_EVERY_MS = 4000;
const RETRY_AFTER_S = 1;
/** To wait for a busy Redis is better than to go beyond the limit, or to refuse the call. */
const TAKE_LIMIT_MS = 1000;

/** Processes ask again every 25 ms while calls wait; one that has not for so long has lost its turn. */
const TURN_MS = 250;

/**
 * Takes a place among those that nobody holds or has held for too long, unless calls of other processes that still ask
 * have waited for longer and need them all. The clock is that of Redis. Each process has an entry for each of its next
 * calls, since when that has had its turn, and one for when it has asked last.
 */
const TAKE = toScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function forget(process)
  local entries = {}
  for at = 1, 16 do entries[at] = process .. '/' .. at end
  redis.call('ZREM', KEYS[2], unpack(entries))
end
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now - ARGV[5])) do
  forget(gone)
  redis.call('ZREM', KEYS[3], gone)
end
forget(ARGV[4])
for at = 6, #ARGV do redis.call('ZADD', KEYS[2], now - ARGV[at], ARGV[4] .. '/' .. (at - 5)) end
redis.call('ZADD', KEYS[3], now, ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
redis.call('PEXPIRE', KEYS[3], ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local free = tonumber(ARGV[1]) - redis.call('ZCARD', KEYS[1])
if free <= redis.call('ZRANK', KEYS[2], ARGV[4] .. '/1') then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[4] .. '/1')
if #ARGV == 6 then redis.call('ZREM', KEYS[3], ARGV[4]) end
return 1`);

/** Holds places for longer: those that Redis has lost, too. */
const RENEW = toScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for at = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[at]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`);

/** A place that Redis does not count, while it is away. */
const UNCOUNTED: PlaceLease = { release: () => undefined };

/** Creates places for calls under way that all processes at one Redis share. */
export function createPlaceLeases({ link, prefix, whenDown }: PlaceLeaseParts): PlaceLeases {
  /** What this process holds, by the key in Redis. */
  const held = new Map<string, Set<string>>();
  const process = randomUUID();
  const renew = (): void => {
    for (const [key, ids] of held) {
      const renewal = { keys: [key], arguments: [String(LEASE_MS), ...ids] };
      link.run((client) => runScript(client, RENEW, renewal)).catch(() => undefined);
    }
  };
  const timer = setInterval(renew, RENEW_EVERY_MS);
  timer.unref();
  const toLease = (key: string, id: string): PlaceLease => ({
    release() {
      const ids = held.get(key);
      if (ids?.delete(id) !== true) return;
      if (ids.size === 0) held.delete(key);
      // Where this does not arrive, the place ends by itself.
      link.run((client) => client.zRem(key, id)).catch(() => undefined);
    },
  });
  return {
    async take(scope, callsUnderWay, { waitedMs }) {
      const key = `${prefix}:places:{${scope}}`;
      const id = randomUUID();
      const asked = {
        keys: [key, `${key}:turns`, `${key}:asked`],
        arguments: [callsUnderWay, LEASE_MS, id, process, TURN_MS, ...waitedMs.map(Math.round)].map(String),
      };
      let isGivenUp = false;
      const takeFrom = async (client: RedisClient): Promise<boolean> => {
        const isGranted = (await runScript(client, TAKE, asked)) === 1;
        // The call has failed or goes on uncounted; the place would be held until its lease ends.
        if (isGranted && isGivenUp) client.zRem(key, id).catch(() => undefined);
        return isGranted;
      };
      let isTaken: boolean;
      try {
        isTaken = await link.run(takeFrom, { limitMs: TAKE_LIMIT_MS });
      } catch (error) {
        isGivenUp = true;
        if (whenDown === 'open') return UNCOUNTED;
        throw new GatewayError(
          'provider_overloaded',
          `The calls under way cannot be counted at the moment; try again in ${RETRY_AFTER_S} s`,
          { cause: error, retryAfterSeconds: RETRY_AFTER_S },
        );
      }
      if (!isTaken) return null;
      held.set(key, (held.get(key) ?? new Set()).add(id));
      return toLease(key, id);
    },
    close: () => clearInterval(timer),
  };
}
