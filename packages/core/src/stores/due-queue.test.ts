import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { createDueQueue } from './due-queue.ts';

test('runs what is due in its order and once, each at its latest time, however often it was put off', async () => {
  const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
  const steps = fc.array(fc.record({ id: ids, delayMs: fc.nat(1000) }), { minLength: 1, maxLength: 300 });
  const property = fc.asyncProperty(steps, async (scheduled) => {
    const platform = createVirtualPlatform();
    const ran: [string, number][] = [];
    const queue = createDueQueue({
      platform,
      spacingMs: 0,
      run: (id) => ran.push([id, platform.monotonicNow()]),
    });
    for (const { id, delayMs } of scheduled) queue.schedule(id, delayMs);
    const latest = new Map(scheduled.map(({ id, delayMs }) => [id, delayMs]));
    for (const id of latest.keys()) expect(queue.has(id)).toBe(true);
    await platform.advance(1000);
    expect(new Map(ran)).toEqual(latest);
    expect(ran).toHaveLength(latest.size);
    expect(ran.map(([, at]) => at)).toEqual([...latest.values()].toSorted((one, other) => one - other));
    expect(platform.pendingTimers).toBe(0);
  });
  await fc.assert(property, { numRuns: 100 });
}, 30_000);

test('leaves some time between two runs, and runs nothing once it has been stopped', async () => {
  const platform = createVirtualPlatform();
  const ran: number[] = [];
  const queue = createDueQueue({ platform, spacingMs: 20, run: () => ran.push(platform.monotonicNow()) });
  for (let number = 0; number < 10; number += 1) queue.schedule(`job-${number}`, 5);
  await platform.advance(100);
  expect(ran).toEqual([5, 25, 45, 65, 85]);
  queue.stop();
  await platform.advance(1000);
  expect(ran).toHaveLength(5);
});
