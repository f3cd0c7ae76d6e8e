import { expect, onTestFinished, test } from 'vitest';

import { watchTables } from './watch-tables.ts';

test('reads everything after an outage, as another server may have taken over', async () => {
  const looks: boolean[] = [];
  let isAway = false;
  const watch = watchTables({
    notifications: {
      isConnected: () => false,
      listen: () => () => undefined,
      onConnected: () => () => undefined,
    },
    knows: () => true,
    async refresh(isWhole) {
      looks.push(isWhole);
      if (isAway) throw new Error('connection refused');
    },
    logger: undefined,
    describe: String,
  });
  onTestFinished(() => watch.end());
  await watch.catchUp();
  isAway = true;
  await watch.catchUp();
  expect([looks, watch.outage()]).toEqual([[false, false], 'Error: connection refused']);
  isAway = false;
  await expect.poll(() => watch.outage()).toBe(null);
  expect(looks.at(-1)).toBe(true);
  await watch.catchUp();
  expect(looks.at(-1)).toBe(false);
});
