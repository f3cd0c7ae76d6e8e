import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { createJobRunner } from './leased-jobs.ts';

/** A runner of one job whose store fails the first times that it is asked for jobs, and which fails the first times. */
function createScene({ scansAgain = false, failures = 0, failedRuns = 0 }) {
  const platform = createVirtualPlatform();
  const ran: string[] = [];
  const warned: string[] = [];
  let asked = 0;
  const runner = createJobRunner({
    name: 'batch',
    async findIds() {
      asked += 1;
      if (asked <= failures) throw new Error('The store is away');
      return ['one'];
    },
    async run(id) {
      ran.push(id);
      if (ran.length <= failedRuns) throw new Error('The store is away');
    },
    scansAgain,
    platform,
    logger: { info: () => undefined, warn: (message) => void warned.push(message), error: () => undefined },
  });
  return { platform, runner, ran, warned, asked: () => asked };
}

test.each([true, false])(
  'a store that is away at the start holds nothing up, and is asked again (%s)',
  async (scansAgain) => {
    const { platform, runner, ran, warned } = createScene({ scansAgain, failures: 2 });
    await runner.start();
    expect(warned).toEqual(['jobs could not be listed (batch)']);
    await platform.advance(10_000);
    expect(ran).toEqual([]);
    await platform.advance(10_000);
    expect(ran).toEqual(['one']);
    runner.stop();
    expect(platform.pendingTimers).toBe(0);
  },
);

test('a process alone looks for jobs once, and again where one has failed', async () => {
  const { platform, runner, ran, asked } = createScene({ failedRuns: 1 });
  await runner.start();
  await platform.advance(60_000);
  expect([ran, asked(), platform.pendingTimers]).toEqual([['one', 'one'], 2, 0]);
});
