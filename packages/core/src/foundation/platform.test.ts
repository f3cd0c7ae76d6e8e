import { createHash, createHmac } from 'node:crypto';

import { expect, test } from 'vitest';

import { createRandomId, createWebPlatform } from './platform.ts';

test.each(['', 'abc', 'sk-gw-v1-demo', 'é👩‍👩‍👧'])('hashes "%s" with SHA-256', async (text) => {
  const platform = createWebPlatform();
  expect(await platform.sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
  expect(await platform.hmacSha256('secret', text)).toBe(createHmac('sha256', 'secret').update(text).digest('hex'));
});

test('draws the requested number of random bytes, never the same', () => {
  const platform = createWebPlatform();
  const [one, two] = [platform.randomBytes(32), platform.randomBytes(32)];
  expect(one).toHaveLength(32);
  expect(one).not.toEqual(two);
});

test('has a clock for people and one that only goes forward', () => {
  const platform = createWebPlatform();
  expect(Math.abs(platform.now() - Date.now())).toBeLessThan(1000);
  const earlier = platform.monotonicNow();
  expect(platform.monotonicNow()).toBeGreaterThanOrEqual(earlier);
});

test('calls back after a while, unless that is cancelled, and keeps no process alive', async () => {
  const platform = createWebPlatform();
  const called: string[] = [];
  const cancel = platform.setTimer(() => called.push('cancelled'), 0);
  cancel();
  // The gateway's own timers do not hold the process; this one is the test's.
  await new Promise<void>((resolve) => {
    platform.setTimer(() => {
      called.push('kept');
      resolve();
    }, 0);
  });
  expect(called).toEqual(['kept']);
});

test('makes ids of equal length in which every one of 128 random bits counts', () => {
  const idOf = (bytes: Uint8Array): string => createRandomId({ randomBytes: () => bytes.slice() });
  const none = new Uint8Array(16);
  const ids = [idOf(none), idOf(none.map(() => 255))];
  for (let bit = 0; bit < 128; bit += 1) {
    ids.push(idOf(none.map((_, index) => (index === bit >> 3 ? 1 << (bit & 7) : 0))));
  }
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(ids).size).toBe(130);
});

test('takes the bytes it is given, and not others of the pool they come from', () => {
  const pool = Uint8Array.from({ length: 64 }, (_, index) => index);
  const fromPool = createRandomId({ randomBytes: (length) => pool.subarray(40, 40 + length) });
  expect(fromPool).toBe(createRandomId({ randomBytes: (length) => pool.slice(40, 40 + length) }));
});
