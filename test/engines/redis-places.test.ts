import { createNodePlatform } from '@model-gateway/node';
import { describe, expect, test } from 'vitest';

import { createFairPlaces } from '../../packages/core/src/limits/fair-places.ts';
import { missingRedis } from './support/engines.ts';
import { openRedisShared } from './support/open-redis-shared.ts';
import { startOwnRedis } from './support/own-servers.ts';

const PLACES = 8;
const CALLERS = 200;
const CALLS_EACH = 3;
const HOLD_MS = 20;
/** The longest that a place of a process that ended without a word is held. */
const LEASE_MS = 15_000;

const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

async function openInstance(url: string) {
  const shared = await openRedisShared({ url, whenDown: 'closed' });
  const places = createFairPlaces('provider acme', createNodePlatform(), shared.takeLease);
  const limits = { callsUnderWay: PLACES, queueLength: 10_000, queueMs: 120_000 };
  const take = (caller: string) => places.take({ caller, limits, what: 'Acme', signal: new AbortController().signal });
  return { take, shared };
}

describe.skipIf(missingRedis)('Four instances with one Redis', () => {
  test('share 8 places among 200 callers in turns, never more, and get back those of one that was killed', async () => {
    const { url } = await startOwnRedis();
    const instances = await Promise.all(Array.from({ length: 4 }, () => openInstance(url)));
    const [killed, ...living] = instances as [(typeof instances)[0], ...typeof instances];
    // It holds four places when it ends, and gives none back.
    const lost = await Promise.all(Array.from({ length: 4 }, (_, at) => killed.take(`lost ${at}`)));
    expect(lost).toHaveLength(4);

    const served: string[] = [];
    let underWay = lost.length;
    let most = 0;
    const call = async (caller: string, at: number): Promise<void> => {
      const release = await (living[at % living.length] as (typeof instances)[0]).take(caller);
      underWay += 1;
      most = Math.max(most, underWay);
      served.push(caller);
      await wait(HOLD_MS);
      underWay -= 1;
      release();
    };
    const calls = Array.from({ length: CALLERS * CALLS_EACH }, (_, index) => {
      // All calls of a caller come in a row, at one instance.
      const caller = Math.floor(index / CALLS_EACH);
      return call(`caller ${caller}`, caller);
    });
    await killed.shared.close();
    const killedAt = performance.now();
    await Promise.all(calls);
    expect(most).toBeLessThanOrEqual(PLACES);
    // Every caller has had its first call before any has more than a tenth beyond its turn.
    const firsts = new Map<string, number>();
    for (const [at, caller] of served.entries()) if (!firsts.has(caller)) firsts.set(caller, at);
    expect(firsts.size).toBe(CALLERS);
    expect(Math.max(...firsts.values())).toBeLessThanOrEqual(CALLERS * 1.1);

    await wait(Math.max(0, LEASE_MS + 1000 - (performance.now() - killedAt)));
    const all = await Promise.all(
      Array.from({ length: PLACES }, (_, at) => (living[at % 3] as (typeof instances)[0]).take('after')),
    );
    expect(all).toHaveLength(PLACES);
    for (const release of all) release();
  }, 90_000);

  test('get the places that become free at once by how long their calls have waited', async () => {
    const { url } = await startOwnRedis();
    const opened = await Promise.all([1, 2].map(() => openRedisShared({ url, whenDown: 'closed' })));
    const [first, second] = opened as [(typeof opened)[0], (typeof opened)[0]];
    const ask = (shared: typeof first, ...waitedMs: number[]) => shared.takeLease('provider acme', 2, { waitedMs });
    const held = [await ask(first, 0), await ask(second, 0)];
    expect(await ask(first, 200, 190)).toBeNull();
    expect(await ask(second, 20, 10)).toBeNull();
    for (const lease of held) lease?.release();

    expect(await ask(second, 20, 10)).toBeNull();
    expect(await ask(first, 200, 190)).not.toBeNull();
    expect(await ask(second, 20, 10)).toBeNull();
    expect(await ask(first, 190)).not.toBeNull();
    await Promise.all([first.close(), second.close()]);
  });

  test('have a place back that Redis gives when its caller has stopped waiting', async () => {
    const { url, pause, resume } = await startOwnRedis();
    const shared = await openRedisShared({ url, whenDown: 'closed' });
    const ask = () => shared.takeLease('provider acme', 1, { waitedMs: [0] });
    (await ask())?.release();
    pause();
    await expect(ask()).rejects.toMatchObject({ status: 503 });
    resume();
    await expect.poll(() => ask().catch(() => null), { timeout: LEASE_MS / 2 }).not.toBeNull();
    await shared.close();
  });
});
