import process from 'node:process';

import { type CreateRateCounter, GatewayError, type RateCounter, type RateWindow } from '@model-gateway/core';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

import type { RedisLink } from './connection/redis-link.ts';
import { type RedisScript, runScript, toScript } from './run-script.ts';

export interface RateCounterParts {
  readonly link: RedisLink;
  readonly prefix: string;
  /** While Redis is away each process counts for itself, or calls with a limit are refused. */
  readonly whenDown: 'open' | 'closed';
}

const WINDOW_MS = 60_000;
const RETRY_AFTER_S = 1;

/** Creates counters that all processes at one Redis share. A minute begins with the first call that is counted in it. */
export function createRateCounters({ link, prefix, whenDown }: RateCounterParts): CreateRateCounter {
  const storeClient = createStoreClient(link);
  return ({ name, limitPerMinute }) => {
    const limit = { points: limitPerMinute, duration: WINDOW_MS / 1000 };
    const insurance = whenDown === 'open' ? { insuranceLimiter: new RateLimiterMemory(limit) } : {};
    // A limit that was changed counts from zero.
    const keyPrefix = `${prefix}:rate:${name}:${limitPerMinute}`;
    const limiter = new RateLimiterRedis({ ...limit, ...insurance, storeClient, useRedisPackage: true, keyPrefix });
    return toCounter(limiter, limitPerMinute);
  };
}

function toCounter(limiter: RateLimiterRedis, limit: number): RateCounter {
  const blocks = createBlocks();
  const countCall = countTogether((id, calls) => counted(limiter.consume(id, calls)));
  /** An id that has used up its minute is not asked about again before it is over. */
  const toWindow = (id: string, isExceeded: boolean, msBeforeNext: number): RateWindow => {
    // A system clock that was set must not lengthen a minute.
    const resetInMs = Math.min(Math.max(msBeforeNext, 0), WINDOW_MS);
    if (isExceeded) blocks.add(id, resetInMs);
    return { isExceeded, resetInMs };
  };
  return {
    async take(id) {
      const blocked = blocks.find(id);
      if (blocked !== undefined) return blocked;
      const { place, msBeforeNext } = await countCall(id);
      return toWindow(id, place > limit, msBeforeNext);
    },
    async look(id) {
      const blocked = blocks.find(id);
      if (blocked !== undefined) return blocked;
      const found = await counted(limiter.get(id));
      return found === null
        ? { isExceeded: false, resetInMs: 0 }
        : toWindow(id, found.consumedPoints >= limit, found.msBeforeNext);
    },
    async add(id, points) {
      await counted(limiter.penalty(id, points));
    },
  };
}

/** The calls of an id in one turn of the event loop. */
interface Turn {
  calls: number;
  readonly counted: Promise<RateLimiterRes>;
}

/**
 * Counts the calls of an id that come in the same turn of the event loop with one command. Resolves with the place of
 * each among all calls of the minute, and with how long that still is.
 */
function countTogether(
  count: (id: string, calls: number) => Promise<RateLimiterRes>,
): (id: string) => Promise<{ readonly place: number; readonly msBeforeNext: number }> {
  const turns = new Map<string, Turn>();
  const beginTurn = (id: string): Turn => {
    const counted = new Promise<RateLimiterRes>((resolve) =>
      process.nextTick(() => {
        turns.delete(id);
        resolve(count(id, turn.calls));
      }),
    );
    const turn: Turn = { calls: 0, counted };
    turns.set(id, turn);
    return turn;
  };
  return async (id) => {
    const turn = turns.get(id) ?? beginTurn(id);
    turn.calls += 1;
    const placeInTurn = turn.calls;
    const { consumedPoints, msBeforeNext } = await turn.counted;
    return { place: consumedPoints - turn.calls + placeInTurn, msBeforeNext };
  };
}

/** A count beyond the limit is no error here; a Redis that is away, without insurance, refuses the call. */
async function counted<Count>(count: Promise<Count>): Promise<Count | RateLimiterRes> {
  try {
    return await count;
  } catch (error) {
    if (error instanceof RateLimiterRes) return error;
    throw new GatewayError(
      'provider_overloaded',
      `The rate limits of this key cannot be checked at the moment; try again in ${RETRY_AFTER_S} s`,
      { cause: error, retryAfterSeconds: RETRY_AFTER_S },
    );
  }
}

/** Beyond it, the block that was noted first is forgotten, which costs a question to Redis. */
const MAX_BLOCKS = 10_000;

/** Remembers which ids have used up their minute, by the monotonic clock. */
function createBlocks() {
  const endsAtById = new Map<string, number>();
  return {
    find(id: string): RateWindow | undefined {
      const endsAt = endsAtById.get(id);
      if (endsAt === undefined) return undefined;
      const resetInMs = endsAt - performance.now();
      if (resetInMs > 0) return { isExceeded: true, resetInMs };
      endsAtById.delete(id);
      return undefined;
    },
    add(id: string, forMs: number): void {
      endsAtById.delete(id);
      endsAtById.set(id, performance.now() + forMs);
      const [first] = endsAtById.size > MAX_BLOCKS ? endsAtById.keys() : [];
      if (first !== undefined) endsAtById.delete(first);
    },
  };
}

/** The part of a Redis client that the limiter uses, so that its commands have the time limits of the link. */
function createStoreClient(link: RedisLink) {
  const scripts = new Map<string, RedisScript>();
  const scriptOf = (text: string): RedisScript => {
    const script = scripts.get(text) ?? toScript(text);
    scripts.set(text, script);
    return script;
  };
  return {
    eval: (text: string, options: { readonly keys: string[]; readonly arguments: string[] }) =>
      link.run((client) => runScript(client, scriptOf(text), options)),
    multi() {
      let key = '';
      const chain = {
        get(name: string) {
          key = name;
          return chain;
        },
        pTTL: () => chain,
        exec: () => link.run((client) => Promise.all([client.get(key), client.pTTL(key)])),
      };
      return chain;
    },
  };
}
