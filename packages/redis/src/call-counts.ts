import { randomUUID } from 'node:crypto';

import type { SharedCallCounts, ToldCallCount } from '@model-gateway/core';

import type { RedisLink } from './connection/redis-link.ts';
import { runScript, toScript } from './run-script.ts';

interface CallCountParts {
  readonly link: RedisLink;
  readonly prefix: string;
}

export interface RedisCallCounts extends SharedCallCounts {
  /** Tells nothing any more, and takes back what was told. Never rejects. */
  close(): Promise<void>;
}

const TELL_EVERY_MS = 1000;
/** So often a process says that it is alive, where nothing has changed. */
const ALIVE_EVERY_MS = 5000;
/** As long as the places of a process that was killed are held, so that it is seen who holds them. */
const GONE_MS = 15_000;
/** The busiest of a process; a limit on each key may count thousands. */
const MAX_TOLD = 1000;

/** Each process has an entry for what it counts, and one for when it has told; the clock is that of Redis. */
const TELL = toScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[2], now, ARGV[1])
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[3])) do
  redis.call('HDEL', KEYS[1], gone)
  redis.call('ZREM', KEYS[2], gone)
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1`);

/** What the others have told, except those that are gone. */
const READ = toScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local told = {}
for _, process in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], now - ARGV[2], '+inf')) do
  local counts = process ~= ARGV[1] and redis.call('HGET', KEYS[1], process)
  if counts then table.insert(told, counts) end
end
return told`);

const FORGET = toScript(`
redis.call('HDEL', KEYS[1], ARGV[1])
return redis.call('ZREM', KEYS[2], ARGV[1])`);

/** Creates what tells the processes at one Redis about each other's calls: what one told is at most a second old. */
export function createCallCounts({ link, prefix }: CallCountParts): RedisCallCounts {
  const process = randomUUID();
  const keys = [`${prefix}:{calls}:counts`, `${prefix}:{calls}:told`];
  let read: Parameters<SharedCallCounts['tell']>[0] = () => null;
  let told: string | null = null;
  let toldAt = Number.NEGATIVE_INFINITY;
  const tellNow = (): void => {
    const counts = read();
    if (counts === null) return;
    const busiest = counts.toSorted((a, b) => b.underWay + b.waiting - (a.underWay + a.waiting)).slice(0, MAX_TOLD);
    const text = JSON.stringify(busiest);
    const now = performance.now();
    if (text === told && now - toldAt < ALIVE_EVERY_MS) return;
    link
      .run((client) => runScript(client, TELL, { keys, arguments: [process, text, String(GONE_MS)] }))
      .then(
        () => {
          told = text;
          toldAt = now;
        },
        // It is told again, as it was not.
        () => undefined,
      );
  };
  const timer = setInterval(tellNow, TELL_EVERY_MS);
  timer.unref();
  return {
    tell(reader) {
      read = reader;
    },
    async readOthers() {
      const texts = await link.run((client) =>
        runScript(client, READ, { keys, arguments: [process, String(GONE_MS)] }),
      );
      return (texts as readonly string[]).map((text) => JSON.parse(text) as readonly ToldCallCount[]);
    },
    async close() {
      clearInterval(timer);
      if (told === null) return;
      await link.run((client) => runScript(client, FORGET, { keys, arguments: [process] })).catch(() => undefined);
    },
  };
}
