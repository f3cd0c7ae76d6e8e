import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { createTimerWheel } from './timers.ts';

function createWheel() {
  const platform = createVirtualPlatform();
  return { platform, wheel: createTimerWheel({ ...platform, isPerRequest: true }) };
}

test('a limit of a request that has ended holds back no limit of another', async () => {
  const platform = createVirtualPlatform();
  let isEnded = false;
  const setTimer: typeof platform.setTimer = (callback, delayMs) =>
    isEnded ? platform.setTimer(callback, delayMs) : () => undefined;
  const wheel = createTimerWheel({ ...platform, setTimer, isPerRequest: true });
  const expired: string[] = [];
  wheel.add(() => expired.push('first')).set(100);
  isEnded = true;
  wheel.add(() => expired.push('second')).set(200);
  await platform.advance(300);
  expect(expired).toEqual(['second']);
});

test('a limit that is moved away is due at its new time, and needs no timer for each move', async () => {
  const { platform, wheel } = createWheel();
  const expired: number[] = [];
  const limit = wheel.add(() => expired.push(platform.monotonicNow()));
  for (let i = 0; i < 100; i += 1) limit.set(100 + i);
  expect(platform.pendingTimers).toBe(1);
  await platform.advance(500);
  expect(expired).toEqual([199]);
});

test('a limit that is moved nearer is due at its new time', async () => {
  const { platform, wheel } = createWheel();
  const expired: number[] = [];
  const limit = wheel.add(() => expired.push(platform.monotonicNow()));
  limit.set(1000);
  limit.setAt(30);
  await platform.advance(2000);
  expect(expired).toEqual([30]);
});

test('a limit that is cleared leaves no timer, and can be set again', async () => {
  const { platform, wheel } = createWheel();
  const expired: number[] = [];
  const limit = wheel.add(() => expired.push(platform.monotonicNow()));
  limit.set(100);
  limit.clear();
  expect(platform.pendingTimers).toBe(0);
  await platform.advance(200);
  limit.set(100);
  await platform.advance(200);
  expect(expired).toEqual([300]);
  expect(platform.pendingTimers).toBe(0);
});

test('calls back once, at most one tick after the time', async () => {
  const platform = createVirtualPlatform();
  let expiredAt = -1;
  let times = 0;
  const deadline = createTimerWheel(platform).add(() => {
    times += 1;
    expiredAt = platform.monotonicNow();
  });
  deadline.set(1000);
  await platform.advance(999);
  expect(times).toBe(0);
  await platform.advance(10_000);
  expect(times).toBe(1);
  expect(expiredAt).toBeGreaterThanOrEqual(1000);
  expect(expiredAt).toBeLessThanOrEqual(1050);
});

test('moves a limit that is set again, and drops one that is cleared', async () => {
  const platform = createVirtualPlatform();
  const wheel = createTimerWheel(platform);
  const expired: string[] = [];
  const moved = wheel.add(() => expired.push('moved'));
  const cleared = wheel.add(() => expired.push('cleared'));
  moved.set(100);
  cleared.set(100);
  await platform.advance(90);
  moved.set(100);
  cleared.clear();
  await platform.advance(90);
  expect(expired).toEqual([]);
  await platform.advance(100);
  expect(expired).toEqual(['moved']);
  cleared.set(10);
  await platform.advance(100);
  expect(expired).toEqual(['moved', 'cleared']);
});

test('keeps one timer for any number of limits, and none when there are none', async () => {
  const platform = createVirtualPlatform();
  const wheel = createTimerWheel(platform);
  const deadlines = Array.from({ length: 100 }, () => wheel.add(() => undefined));
  expect(platform.pendingTimers).toBe(0);
  for (const deadline of deadlines) deadline.set(1000);
  expect(platform.pendingTimers).toBe(1);
  for (const deadline of deadlines) deadline.clear();
  await platform.advance(100);
  expect(platform.pendingTimers).toBe(0);
  deadlines[0]?.set(10);
  await platform.advance(200);
  expect(platform.pendingTimers).toBe(0);
});

test('lets a callback set limits of its own', async () => {
  const platform = createVirtualPlatform();
  const wheel = createTimerWheel(platform);
  const expired: number[] = [];
  const again = wheel.add(() => {
    expired.push(platform.monotonicNow());
    if (expired.length < 3) again.set(100);
  });
  again.set(100);
  await platform.advance(1000);
  expect(expired).toEqual([100, 200, 300]);
});

test('does not expire limits because the process was blocked or asleep', async () => {
  const platform = createVirtualPlatform();
  const wheel = createTimerWheel(platform);
  let expired = 0;
  for (let i = 0; i < 10; i += 1) wheel.add(() => (expired += 1)).set(1000);
  await platform.advance(500);
  platform.oversleep(60_000);
  await platform.advance(400);
  expect(expired).toBe(0);
  await platform.advance(200);
  expect(expired).toBe(10);
});

test('takes a little lateness for what it is', async () => {
  const platform = createVirtualPlatform();
  let expired = 0;
  createTimerWheel(platform)
    .add(() => (expired += 1))
    .set(100);
  platform.oversleep(400);
  await platform.advance(1);
  expect(expired).toBe(1);
});

test('does not expire a limit that an expiry before its own has moved or cleared', async () => {
  const platform = createVirtualPlatform();
  const wheel = createTimerWheel(platform);
  const expired: string[] = [];
  const first = wheel.add(() => {
    expired.push('first');
    moved.set(1000);
    cleared.clear();
  });
  const moved = wheel.add(() => expired.push('moved'));
  const cleared = wheel.add(() => expired.push('cleared'));
  for (const deadline of [first, moved, cleared]) deadline.set(100);
  await platform.advance(500);
  expect(expired).toEqual(['first']);
  await platform.advance(1000);
  expect(expired).toEqual(['first', 'moved']);
});

test('sets a limit at a time of the clock, and calls its owner', async () => {
  const platform = createVirtualPlatform();
  const owner = { expired: 0, onExpire: () => void (owner.expired += 1) };
  const deadline = createTimerWheel(platform).addFor(owner);
  await platform.advance(200);
  deadline.setAt(platform.monotonicNow() + 100);
  await platform.advance(99);
  expect(owner.expired).toBe(0);
  await platform.advance(100);
  expect(owner.expired).toBe(1);
});

test('goes on where an expiry throws', async () => {
  const platform = createVirtualPlatform();
  const wheel = createTimerWheel(platform);
  let expired = 0;
  wheel
    .add(() => {
      throw new Error('a bug');
    })
    .set(100);
  for (let i = 0; i < 2; i += 1) wheel.add(() => (expired += 1)).set(100);
  await expect(platform.advance(500)).rejects.toThrow('a bug');
  await platform.advance(500);
  expect(expired).toBe(2);
});
