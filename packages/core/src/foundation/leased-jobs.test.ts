import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { createJobRunner } from './leased-jobs.ts';

/** A runner of one job whose store fails the first times that it is asked for jobs. */
function createScene(failures: number) {
  const platform = createVirtualPlatform();
  const ran: string[] = [];
  const warned: string[] = [];
  let asked = 0;
  const runner = createJobRunner({
    name: 'batch',
    async findIds() {
      asked += 1;
      if (asked <= failures) throw new Error('the database is away');
      return ['one'];
    },
    run: async (id) => void ran.push(id),
    platform,
    logger: { info: () => undefined, warn: (message) => void warned.push(message), error: () => undefined },
  });
  return { platform, runner, ran, warned };
}

test('a store that is away at the start holds nothing up, and is asked again', async () => {
  const { platform, runner, ran, warned } = createScene(2);
  await runner.start();
  expect(warned).toEqual(['jobs could not be listed (batch)']);
  await platform.advance(10_000);
  expect(ran).toEqual([]);
  await platform.advance(10_000);
  expect(ran).toEqual(['one']);
  runner.stop();
  expect(platform.pendingTimers).toBe(0);
});
