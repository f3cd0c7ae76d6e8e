import type { RateCounter } from '@model-gateway/core';
import { createClient } from '@redis/client';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { rateCounterCases } from '../support/rate-limits/rate-counter-cases.ts';
import { missingRedis, redisUrl } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { openRedisShared } from './support/open-redis-shared.ts';

afterEach(() => void vi.useRealTimers());

let prefixes = 0;
const freshPrefix = () => `test-${process.pid}-rates-${(prefixes += 1)}`;

const openShared = (prefix: string) => openRedisShared({ url: redisUrl(), whenDown: 'closed', prefix });

/** Lets the minutes in Redis pass, and those that the process remembers. */
async function advance(prefix: string, ms: number): Promise<void> {
  const client = await createClient({ url: redisUrl() }).connect();
  for await (const keys of client.scanIterator({ MATCH: `${prefix}:rate:*`, COUNT: 1000 })) {
    for (const key of keys) await client.pExpire(key, (await client.pTTL(key)) - ms);
  }
  await client.close();
  vi.advanceTimersByTime(ms);
}

/** How many of so many calls, one after the other, a counter lets pass. */
async function admittedOf(counter: RateCounter | undefined, calls: number): Promise<number> {
  let admitted = 0;
  for (let call = 0; call < calls; call += 1) {
    const window = await counter?.take('k');
    if (window?.isExceeded === false) admitted += 1;
  }
  return admitted;
}

describe.skipIf(missingRedis)('Counters in Redis', () => {
  test.each(rateCounterCases)('$title', async ({ run }) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const prefix = freshPrefix();
    const shared = await openShared(prefix);
    await run({ createCounter: shared.createRateCounter, advance: (ms) => advance(prefix, ms) });
  });

  test.each([-86_400_000, 86_400_000])(
    '222: count by a monotonic clock when the system clock is set by %i ms',
    async (byMs) => {
      vi.useFakeTimers({ now: Date.now(), toFake: ['performance', 'Date'] });
      const prefix = freshPrefix();
      const counter = (await openShared(prefix)).createRateCounter({ name: 'a', limitPerMinute: 1 });
      await counter.take('k');
      expect((await counter.take('k')).isExceeded).toBe(true);
      vi.setSystemTime(Date.now() + byMs);
      await advance(prefix, 20_000);
      expect((await counter.take('k')).isExceeded).toBe(true);
      await advance(prefix, 40_000);
      expect((await counter.take('k')).isExceeded).toBe(false);
    },
  );

  test('let exactly 12 of 200 calls on four instances pass, and of tokens what one has used all know', async () => {
    const prefix = freshPrefix();
    const instances = await Promise.all(Array.from({ length: 4 }, () => openShared(prefix)));
    const requests = instances.map(({ createRateCounter }) => createRateCounter({ name: 'r', limitPerMinute: 12 }));
    const windows = await Promise.all(Array.from({ length: 50 }, () => requests.map(({ take }) => take('k'))).flat());
    expect(windows.filter(({ isExceeded }) => !isExceeded)).toHaveLength(12);

    const tokens = instances.map(({ createRateCounter }) => createRateCounter({ name: 't', limitPerMinute: 350 }));
    await Promise.all(tokens.map((counter) => counter.add('k', 87)));
    expect((await tokens[0]?.look('k'))?.isExceeded).toBe(false);
    await tokens[1]?.add('k', 2);
    const looks = await Promise.all(tokens.map((counter) => counter.look('k')));
    expect(looks.map(({ isExceeded }) => isExceeded)).toEqual([true, true, true, true]);
  });

  test('count the calls of one turn with one command for each key, and each call by its place', async () => {
    const prefix = freshPrefix();
    const counter = (await openShared(prefix)).createRateCounter({ name: 'a', limitPerMinute: 7 });
    await counter.take('k');
    const monitor = await createClient({ url: redisUrl() }).connect();
    onTestFinished(() => monitor.close());
    const commands: string[] = [];
    await monitor.monitor((command) => {
      if (String(command).includes(`${prefix}:rate:a`) && !String(command).includes(' lua]')) {
        commands.push(String(command));
      }
    });
    const windows = await Promise.all([...Array.from({ length: 10 }, () => 'k'), 'other'].map(counter.take));
    expect(windows.map(({ isExceeded }) => isExceeded)).toEqual([
      ...Array(6).fill(false),
      ...Array(4).fill(true),
      false,
    ]);
    await eventually(() => expect(commands).toHaveLength(2));
  });

  test('let exactly as many calls pass as the limit says, however large it is and from wherever they come', async () => {
    const prefix = freshPrefix();
    const instances = await Promise.all(Array.from({ length: 4 }, () => openShared(prefix)));
    const counters = instances.map(({ createRateCounter }) => createRateCounter({ name: 'a', limitPerMinute: 20_000 }));
    const admitted = await Promise.all(counters.map((counter) => admittedOf(counter, 300)));
    expect(admitted).toEqual([300, 300, 300, 300]);
    const last = await admittedOf(counters[0], 20_000);
    expect(last).toBe(18_800);
  });

  test('the first call after a minute begins the next one at 1', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const prefix = freshPrefix();
    const counter = (await openShared(prefix)).createRateCounter({ name: 'a', limitPerMinute: 10_000 });
    await admittedOf(counter, 15);
    await advance(prefix, 60_000);
    const client = await createClient({ url: redisUrl() }).connect();
    onTestFinished(() => client.close());
    await counter.take('k');
    expect(await client.get(`${prefix}:rate:a:10000:k`)).toBe('1');
  });

  test('ask Redis no more for whoever has used up the minute', async () => {
    const prefix = freshPrefix();
    const counter = (await openShared(prefix)).createRateCounter({ name: 'a', limitPerMinute: 1 });
    const takes = async (count: number) => {
      for (let i = 0; i < count; i += 1) await counter.take('k');
    };
    const client = await createClient({ url: redisUrl() }).connect();
    onTestFinished(() => client.close());
    await takes(50);
    expect(await client.get(`${prefix}:rate:a:1:k`)).toBe('2');
  });
});
