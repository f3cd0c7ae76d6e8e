import type { CachedCompletion, ResponseCache } from '@model-gateway/core';

import type { RedisLink } from './connection/redis-link.ts';
import { runScript, toScript } from './run-script.ts';

export interface ResponseCacheParts {
  readonly link: RedisLink;
  readonly prefix: string;
  /** Bytes of completions in Redis; beyond it, those that end first are removed. Default 256 MB. */
  readonly maxBytes?: number | undefined;
}

const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;
/** A larger one would hold up the commands behind it. */
const LARGEST_BYTES = 1024 * 1024;
/** A call waits no longer for a completion that may be there. */
const FIND_LIMIT_MS = 50;
const STORE_LIMIT_MS = 1000;

/**
 * KEYS: the completion, when each ends, how large each is, all their bytes. ARGV: the completion or nothing, its bytes,
 * its time to live, the bytes of all that are allowed.
 *
 * A Redis that evicts may take one of the three books. The others mean nothing without it, and are begun again: what they
 * had noted ends by itself. Each step of the last loop removes an entry, whatever the books say: a script that has
 * written cannot be stopped.
 */
const REPLACE = toScript(`
if redis.call('exists', KEYS[2], KEYS[3], KEYS[4]) < 3 then redis.call('del', KEYS[2], KEYS[3], KEYS[4]) end
local function forget(key)
  redis.call('zrem', KEYS[2], key)
  local size = redis.call('hget', KEYS[3], key)
  if size then
    redis.call('hdel', KEYS[3], key)
    redis.call('decrby', KEYS[4], size)
  end
  redis.call('unlink', key)
end
forget(KEYS[1])
if ARGV[1] == '' then return end
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, key in ipairs(redis.call('zrangebyscore', KEYS[2], '-inf', now, 'limit', 0, 100)) do forget(key) end
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[3])
redis.call('zadd', KEYS[2], now + ARGV[3], KEYS[1])
redis.call('hset', KEYS[3], KEYS[1], ARGV[2])
local total = redis.call('incrby', KEYS[4], ARGV[2])
while total > tonumber(ARGV[4]) do
  local first = redis.call('zrange', KEYS[2], 0, 0)[1]
  if not first then
    redis.call('del', KEYS[4])
    break
  end
  forget(first)
  total = tonumber(redis.call('get', KEYS[4]) or '0')
end
`);

/** Completions that all processes at one Redis share. While it is away there are none. */
export function createRedisResponseCache(parts: ResponseCacheParts): ResponseCache {
  const { link, prefix, maxBytes = DEFAULT_MAX_BYTES } = parts;
  // The braces keep them on one node of a cluster.
  const nameOf = (key: string): string => `${prefix}:{cache}:${key}`;
  const books = ['ends', 'sizes', 'bytes'].map(nameOf);
  const replace = (key: string, text: string, ttlMs: number): Promise<void> =>
    link
      .run(
        (client) =>
          runScript(client, REPLACE, {
            keys: [nameOf(key), ...books],
            arguments: [text, String(Buffer.byteLength(text)), String(Math.ceil(ttlMs)), String(maxBytes)],
          }),
        { limitMs: text === '' ? FIND_LIMIT_MS : STORE_LIMIT_MS, mayBeLarge: true },
      )
      .then(
        () => undefined,
        // A cache that does not work is an empty one; the link logs why.
        () => undefined,
      );

  const largestBytes = Math.min(LARGEST_BYTES, maxBytes);

  return {
    // A character has a byte at least.
    maxLength: largestBytes,
    async find(key) {
      const name = nameOf(key);
      try {
        const [text, restMs] = await link.run((client) => Promise.all([client.get(name), client.pTTL(name)]), {
          limitMs: FIND_LIMIT_MS,
          mayBeLarge: true,
        });
        const completion = typeof text === 'string' && restMs > 0 ? readCompletion(text) : undefined;
        return completion && { ...completion, ageMs: Math.max(0, completion.ttlMs - restMs) };
      } catch {
        return undefined;
      }
    },
    store(key, completion) {
      const text = writeCompletion(completion);
      if (Buffer.byteLength(text) <= largestBytes) void replace(key, text, completion.ttlMs);
    },
    forget: (key) => replace(key, '', 0),
  };
}

/** The batches come last and as they are, so that a long completion is not written and read as JSON once more. */
const writeCompletion = ({ sourceId, endpoint, ttlMs, batches }: CachedCompletion): string =>
  `${JSON.stringify([sourceId, endpoint, ttlMs])}\n${batches}`;

function readCompletion(text: string): CachedCompletion | undefined {
  const end = text.indexOf('\n');
  const [sourceId, endpoint, ttlMs] = JSON.parse(text.slice(0, end)) as [string, string, number];
  return { sourceId, endpoint, ttlMs, batches: text.slice(end + 1) };
}
