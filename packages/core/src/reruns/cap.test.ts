import { expect, test } from 'vitest';

import { createRerunCap } from './cap.ts';

test('holds a call that fits to the nano-dollar, and none that is one above', () => {
  const cap = createRerunCap(100, 40);
  cap.hold(60);
  expect(() => cap.hold(1)).toThrow(/The next call may cost up to/);
  cap.settle(60, 10);
  expect(cap.spentNanoUsd()).toBe(50);
  expect(() => cap.hold(51)).toThrow(/\$0\.00000005 of max_cost_usd \$0\.0000001 is spent/);
  cap.hold(50);
});

test('never passes the cap, whatever calls cost up to their worst cases', () => {
  const cap = createRerunCap(10_000, 0);
  let random = 7;
  const next = (below: number): number => (random = (random * 48_271) % 2_147_483_647) % below;
  const open: number[] = [];
  let spent = 0;
  for (let step = 0; step < 20_000; step += 1) {
    const worst = next(500);
    try {
      cap.hold(worst);
      open.push(worst);
    } catch {
      const settled = open.shift();
      if (settled === undefined) break;
      const cost = next(settled + 1);
      cap.settle(settled, cost);
      spent += cost;
    }
    expect(spent + open.reduce((sum, held) => sum + held, 0)).toBeLessThanOrEqual(10_000);
  }
  expect(cap.spentNanoUsd()).toBe(spent);
  expect(spent).toBeGreaterThan(9000);
});

test('wakes what waits for room when a call is settled', async () => {
  const cap = createRerunCap(100, 0);
  cap.hold(100);
  const waiting = cap.nextSettled();
  cap.settle(100, 1);
  await waiting;
  expect(cap.nextSettled()).toBeNull();
});
