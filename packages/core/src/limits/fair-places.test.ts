import { expect, test } from 'vitest';

import { createVirtualPlatform, settle } from '../../../../test/support/async/virtual-platform.ts';
import { createFairPlaces, type PlaceLimits, type TakeLease } from './fair-places.ts';

const LIMITS: PlaceLimits = { callsUnderWay: 8, queueLength: 1000, queueMs: 600_000 };

function setUp(limits: PlaceLimits = LIMITS) {
  const platform = createVirtualPlatform();
  const places = createFairPlaces('all', platform);
  const take = (caller: string, signal = new AbortController().signal) =>
    places.take({ caller, limits, what: 'this model', signal });
  return { platform, places, take };
}

test('serves 200 callers at 8 places in turns, starves none, and never has more than 8 under way', async () => {
  const { platform, places, take } = setUp();
  const served: string[] = [];
  let most = 0;
  const call = async (caller: string): Promise<void> => {
    const release = await take(caller);
    most = Math.max(most, places.count().underWay);
    served.push(caller);
    await new Promise<void>((resolve) => void platform.setTimer(resolve, 100));
    release();
  };
  // One of them asks for far more than the others, and first.
  const greedy = Array.from({ length: 300 }, () => call('greedy'));
  const others = Array.from({ length: 199 }, (_, at) => [call(`caller ${at}`), call(`caller ${at}`)]).flat();
  for (let i = 0; i < 100; i += 1) await platform.advance(100);
  await Promise.all([...greedy, ...others]);
  expect(most).toBe(8);
  // In the first two rounds every caller has its two calls, and the greedy one no more than its share.
  const rounds = served.slice(8, 8 + 400);
  const share = rounds.filter((caller) => caller === 'greedy').length;
  expect(share).toBeGreaterThanOrEqual(1);
  expect(share).toBeLessThanOrEqual(3);
  for (let at = 0; at < 199; at += 1) {
    const turns = rounds.flatMap((caller, index) => (caller === `caller ${at}` ? [index] : []));
    expect(turns).toHaveLength(2);
    // A whole round of the others lies between its turns, give or take a tenth.
    const between = (turns[1] ?? 0) - (turns[0] ?? 0);
    expect(Math.abs(between - 200)).toBeLessThanOrEqual(20);
  }
  expect(places.count()).toEqual({ underWay: 0, waiting: 0 });
});

test('takes a call out of the queue at once when its client leaves', async () => {
  const { places, take } = setUp({ ...LIMITS, callsUnderWay: 1 });
  const release = await take('one');
  const client = new AbortController();
  const left = take('two', client.signal).catch((error: unknown) => error);
  const stays = take('three');
  expect(places.count()).toEqual({ underWay: 1, waiting: 2 });
  client.abort(new Error('gone'));
  expect(places.count()).toEqual({ underWay: 1, waiting: 1 });
  expect(await left).toMatchObject({ message: 'gone' });
  release();
  (await stays)();
  expect(places.count()).toEqual({ underWay: 0, waiting: 0 });
});

test('refuses beyond the length of the queue and after its time, with the wait that is to be expected', async () => {
  const { platform, places, take } = setUp({ callsUnderWay: 2, queueLength: 2, queueMs: 5000 });
  const held = [await take('one'), await take('one')];
  await platform.advance(16_000);
  for (const release of held) release();
  const again = [await take('one'), await take('one')];
  const waiting = [take('two'), take('two')].map((taken) => taken.catch((error: unknown) => error));
  const refused = await take('three').catch((error: unknown) => error);
  // Calls take 6.4 seconds by the average so far; two rounds are before it.
  expect(refused).toMatchObject({ code: 'rate_limit_exceeded', retryAfterSeconds: 13 });
  await platform.advance(5000);
  await settle();
  for (const error of await Promise.all(waiting)) expect(error).toMatchObject({ code: 'rate_limit_exceeded' });
  expect(places.count()).toEqual({ underWay: 2, waiting: 0 });
  for (const release of again) release();
});

test('without a queue, calls that come together get the places that are free elsewhere, and one more is refused', async () => {
  const platform = createVirtualPlatform();
  let free = 2;
  const take: TakeLease = async () => {
    await Promise.resolve();
    if (free === 0) return null;
    free -= 1;
    return { release: () => void (free += 1) };
  };
  const places = createFairPlaces('all', platform, take);
  const limits = { callsUnderWay: 3, queueLength: 0, queueMs: 0 };
  const { signal } = new AbortController();
  const ask = (caller: string) => places.take({ caller, limits, what: 'Acme', signal });
  const results = await Promise.allSettled([ask('one'), ask('two'), ask('three')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(results[2]).toMatchObject({ reason: { code: 'rate_limit_exceeded' } });
  expect(places.count()).toEqual({ underWay: 2, waiting: 0 });
});

test('without a queue, a call waits two seconds to hear of a free place elsewhere, and no longer', async () => {
  const platform = createVirtualPlatform();
  const places = createFairPlaces('all', platform, () => new Promise(() => undefined));
  const limits = { callsUnderWay: 1, queueLength: 0, queueMs: 600_000 };
  const { signal } = new AbortController();
  const asked = places.take({ caller: 'one', limits, what: 'Acme', signal }).catch((error: unknown) => error);
  await platform.advance(1999);
  expect(places.count()).toEqual({ underWay: 0, waiting: 1 });
  await platform.advance(1);
  expect(places.count()).toEqual({ underWay: 0, waiting: 0 });
  expect(await asked).toMatchObject({ code: 'rate_limit_exceeded' });
});

test('calls in a queue outlast a moment in which places cannot be counted, and are refused after two seconds', async () => {
  const platform = createVirtualPlatform();
  let fails = true;
  const take: TakeLease = () =>
    fails ? Promise.reject(new Error('away')) : Promise.resolve({ release: () => undefined });
  const places = createFairPlaces('all', platform, take);
  const limits = { callsUnderWay: 3, queueLength: 10, queueMs: 60_000 };
  const { signal } = new AbortController();
  const ask = () => places.take({ caller: 'one', limits, what: 'Acme', signal });
  const first = ask();
  await platform.advance(1000);
  fails = false;
  await platform.advance(100);
  (await first)();
  fails = true;
  const second = ask().catch((error: unknown) => String(error));
  await platform.advance(2100);
  expect(await second).toBe('Error: away');
});
