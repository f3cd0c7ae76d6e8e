import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../../test/support/async/virtual-platform.ts';
import { createTimerWheel } from './timer-wheel.ts';

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
