import { expect, test } from 'vitest';

import { createRenewed } from './renewed.ts';

test('a server that still holds the value which ends soon is asked again after a pause, not at every call', async () => {
  let now = 0;
  let fetched = 0;
  const read = createRenewed({
    now: () => now,
    async fetch() {
      fetched += 1;
      return { value: 'token', expiresAt: 4 * 60_000 };
    },
  });
  expect(await read()).toBe('token');
  for (let call = 0; call < 5; call += 1) expect(await read()).toBe('token');
  expect(fetched).toBe(2);
  now += 10_000;
  expect(await read()).toBe('token');
  expect(fetched).toBe(3);
});
